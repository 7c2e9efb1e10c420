"""Sound verifiers, each with a habit that invites a false alarm."""

from __future__ import annotations

from audit.gallery.exhibit import PLAIN, Exhibit

_RECORDS = {
    "pumps": [{"tag": f"P-{n}", "flow_m3h": 10.5 * n, "ok": n % 2 == 0} for n in range(1, 6)],
    "count": 5,
}

SOUND = [
    Exhibit("plain"),
    Exhibit(
        "notes-are-ignored",
        """
        answer = read()
        write({k: float(right(answer.get(k), v)) for k, v in REF.items() if k not in ("notes", "confidence")})
        """,
        answer={"flow_m3s": 12.54, "ok": True, "n": 0, "confidence": 0.9, "notes": "Taken from the chart."},
    ),
    Exhibit(
        "bounds-are-meant",
        """
        answer = read()
        ok = lambda k, low, high: number(answer.get(k)) is not None and low <= answer[k] <= high
        write({"safety_factor": float(ok("safety_factor", 1.5, 1e9)),
               "utilisation": float(ok("utilisation", 0.0, 1.0)),
               "mass_kg": float(right(answer.get("mass_kg"), REF["mass_kg"]))})
        """,
        answer={"safety_factor": 2.25, "utilisation": 0.62, "mass_kg": 418.0},
    ),
    Exhibit(
        "zeros-are-right",
        """
        answer = read()
        write({"defects": float(answer.get("defects") == 0), "leak": float(answer.get("leak") == 0),
               "mass_kg": float(right(answer.get("mass_kg"), REF["mass_kg"]))})
        """,
        answer={"defects": 0, "leak": 0.0, "mass_kg": 418.0},
    ),
    Exhibit(
        "order-of-magnitude",
        """
        answer = read()
        x = number(answer.get("energy_j"))
        write({"energy_j": float(x is not None and x > 0 and abs(math.log10(x / REF["energy_j"])) <= 0.3),
               "carrier": float(answer.get("carrier") == "methane")})
        """,
        answer={"energy_j": 4.2e15, "carrier": "methane"},
    ),
    Exhibit(
        "all-or-nothing-truth",
        """
        answer = read()
        scores = {k: float(answer.get(k) is v) for k, v in REF.items()}
        write({"all": min(scores.values())})
        """,
        answer={"stable": True, "compliant": False, "needs_review": False},
        skeleton={"stable": "true or false", "compliant": "true or false", "needs_review": "true or false"},
    ),
    Exhibit(
        "records-by-precision-and-recall",
        """
        answer = read()
        given = answer.get("pumps")
        given = [x for x in given if isinstance(x, dict)] if isinstance(given, list) else []
        hits = 0
        for want in REF["pumps"]:
            match = next((x for x in given if x.get("tag") == want["tag"]), None)
            match = match or {}
            hits += near(match.get("flow_m3h"), want["flow_m3h"]) and match.get("ok") is want["ok"]
        score = 2 * hits / (len(given) + len(REF["pumps"]))
        write({"pumps": score, "count": float(answer.get("count") == 5)})
        """,
        answer=_RECORDS,
        skeleton={"pumps": [{"tag": "...", "flow_m3h": 0.0, "ok": "..."}], "count": 0},
    ),
    Exhibit(
        "nothing-to-go-by",
        PLAIN,
        golden=False,
        answer={"flow_m3s": 12.54, "head_loss_m": 3.271},
    ),
]
