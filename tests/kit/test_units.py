"""Units: every pair of one dimension converts as `pint` says, in the spellings that engineers write."""

from __future__ import annotations

import math
import re
from itertools import permutations
from typing import Any

import pint
import pytest

import adjudge_kit as kit
from adjudge_kit import convert_unit, near, split_number, unit_size

kit.canonical("m")  # reads the tables
FAMILIES = {title: [*usual, *rare] for title, usual, rare in kit._families}
UNITS = [unit for units in FAMILIES.values() for unit in units]
ORACLE: Any = pint.UnitRegistry()
NAMES = {
    "L": "liter", "mL": "milliliter", "ohm": "ohm", "mohm": "milliohm", "kohm": "kiloohm",
    "Mohm": "megaohm", "t": "metric_ton", "lbf": "force_pound", "kip": "kip", "kgf": "force_kilogram",
    "tf": "force_metric_ton", "psf": "(force_pound/foot**2)", "ksf": "(1000*force_pound/foot**2)",
    "ksi": "(1000*psi)", "mH2O": "(100*centimeter_H2O)", "mmH2O": "(centimeter_H2O/10)",
    "cmH2O": "centimeter_H2O", "inH2O": "(2.54*centimeter_H2O)", "ftH2O": "(30.48*centimeter_H2O)",
    "inHg": "inch_Hg", "at": "technical_atmosphere", "BTU": "Btu", "MMBTU": "(1e6*Btu)",
    "therm": "(1e5*Btu)", "TR": "(12000*Btu/hour)", "MBH": "(1000*Btu/hour)", "hp": "horsepower",
    "gpm": "(gallon/minute)", "gph": "(gallon/hour)", "MGD": "(1e6*gallon/day)", "mmHg": "mmHg",
    "cfm": "(foot**3/minute)", "kn": "knot", "mph": "mile_per_hour", "gon": "grade",
    "arcsec": "arcsecond", "arcmin": "arcminute", "rev": "turn", "deg": "degree", "rpm": "(turn/minute)",
    "Hz": "(turn/second)", "kHz": "(1000*turn/second)", "MHz": "(1e6*turn/second)",
    "GHz": "(1e9*turn/second)", "degC": "delta_degC", "degF": "delta_degF", "degR": "delta_degF",
    "K": "kelvin", "h": "hour", "d": "day", "yr": "year", "min": "minute", "F": "farad",
    "mF": "millifarad", "uF": "microfarad", "nF": "nanofarad", "pF": "picofarad", "C": "coulomb",
    "mC": "millicoulomb", "Ah": "(ampere*hour)", "mAh": "(milliampere*hour)", "T": "tesla",
    "mT": "millitesla", "P": "poise", "cP": "centipoise", "St": "stokes", "cSt": "centistokes",
    "acre": "(43560*foot**2)", "bbl": "oil_barrel", "mil": "thou", "nmi": "nautical_mile", "oz": "ounce",
    "lb": "pound", "gal": "gallon", "slug": "slug", "1": "dimensionless", "%": "percent", "ppm": "ppm",
    "atm": "atmosphere", "in": "inch", "ha": "hectare", "VA": "volt_ampere", "kVA": "kilovolt_ampere",
    "MVA": "megavolt_ampere", "var": "volt_ampere", "kvar": "kilovolt_ampere", "Mvar": "megavolt_ampere",
    "dyn": "dyne", "H": "henry",
}  # fmt: skip


def expression(unit: str) -> str:
    """A unit of the kit in the oracle's words."""
    above, *below = unit.split("/")
    parts = ["*".join(_factor(f) for f in above.split("."))]
    parts += ["*".join(_factor(f) for f in part.split(".")) for part in below]
    return "/".join(f"({part})" for part in parts)


def _factor(text: str) -> str:
    found = re.fullmatch(r"(.*?)(\d?)", text)
    assert found
    if text.endswith("H2O") or text == "1":
        return NAMES[text]
    name, power = NAMES.get(found[1], found[1]), found[2] or "1"
    return f"{name}**{power}"


def by_oracle(given: str, asked: str) -> float:
    return float(
        ORACLE.parse_expression(expression(given))
        .to(ORACLE.parse_expression(expression(asked)).units)
        .magnitude
    ) / float(ORACLE.parse_expression(expression(asked)).magnitude)


@pytest.mark.parametrize("title", FAMILIES)
def test_every_pair_of_a_quantity_converts_as_pint_says(title: str) -> None:
    units = FAMILIES[title]
    wrong = []
    for given, asked in permutations(units, 2):
        if title == "temperature difference":
            found = convert_unit(1.0, f"delta_{given}", f"delta_{asked}")
        else:
            found = convert_unit(1.0, given, asked)
        if found is None or not math.isclose(found, by_oracle(given, asked), rel_tol=2e-6):
            wrong.append((given, asked, found, by_oracle(given, asked)))
    assert wrong == []


def test_every_pair_of_one_dimension_converts_wherever_its_units_stand() -> None:
    """Two quantities of one dimension (energy and moment) convert too; VA, var and W are kept apart."""
    sizes = {unit: unit_size(unit) for unit in UNITS}
    assert None not in sizes.values()
    scales = ("K", "degC", "degF", "degR")
    pairs = [
        (a, b)
        for a, b in permutations(dict.fromkeys(UNITS), 2)
        if sizes[a][1] == sizes[b][1] and not (a in scales and b in scales)  # type: ignore[index]
    ]
    assert len(pairs) > 1500
    bad = [
        (a, b)
        for a, b in pairs
        if not math.isclose(convert_unit(1.0, a, b) or 0, by_oracle(a, b), rel_tol=2e-6)
    ]
    assert bad == []


@pytest.mark.parametrize(
    ("answer", "unit", "value"),
    [
        ("518.4 m3/h", "L/s", 144.0), ("35 kN/m²", "kPa", 35.0), ("210 GPa", "N/mm²", 210_000.0),
        ("30°", "deg", 30.0), ("30 deg", "°", 30.0), ("2000 CFM", "cfm", 2000.0), ("12 GPM", "gpm", 12.0),
        ("34121.4 Btu/h", "kW", 10.0), ("85 kVAr", "kvar", 85.0), ("85 kVAR", "kvar", 85.0),
        ("36 m³/hr", "L/s", 10.0), ("5 W/(m²·K)", "W/m2K", 5.0), ("5 W/m².K", "W/m2/K", 5.0),
        ("0.035 W/m·K", "W/(m.K)", 0.035), ("4.18 kJ/kg·K", "J/(kg.K)", 4180.0),
        ("100 ft-lb", "N.m", 135.5818), ("1 inH2O", "Pa", 249.08891), ("1 in H2O", "Pa", 249.08891),
        ("29.92 inHg", "kPa", 101.32075), ("760 torr", "kPa", 101.325), ("2 ksf", "kPa", 95.76052),
        ("196.85 ft/min", "m/s", 1.0), ("36 mm/h", "m/s", 1e-5), ("100 gon", "deg", 90.0),
        ("3600 arcsec", "deg", 1.0), ("1 acre", "m2", 4046.856),
        ("3 tons of refrigeration", "kW", 10.55056), ("3 TR", "kW", 10.55056), ("1 Pa·s", "cP", 1000.0),
        ("1 cSt", "m²/s", 1e-6), ("12 kN/mm", "N/m", 1.2e7), ("1 MGD", "m3/d", 3785.411784),
        ("5 kV", "V", 5000.0), ("500 KPA", "kPa", 500.0), ("20 °C", "K", 293.15), ("68 °F", "°C", 20.0),
        ("20 °C", "ΔK", 20.0), ("36 °F", "ΔK", 20.0), ("12 kNm", "kN·m", 12.0), ("3 kΩ", "Ω", 3000.0),
        ("47 µF", "F", 4.7e-5), ("10 m^3/s", "m3/s", 10.0), ("9.81 m/s^2", "m/s2", 9.81),
        ("50 %", "1", 0.5), ("3 rev", "rad", 18.849556), ("0.035 W/mK", "W/(m·K)", 0.035),
        ("4.18 kJ/kgK", "kJ/(kg·K)", 4.18), ("100 US gpm", "gpm", 100.0), ("14.7 psia", "psi", 14.7),
        ("120 kBtu/h", "TR", 10.0), ("12.5 [kN]", "kN", 12.5), ("12.5 kN/m'", "kN/m", 12.5),
        ("5 kilonewtons", "kN", 5.0), ("35 Megapascals", "N/mm2", 35.0), ("12 millimetres", "mm", 12.0),
        ("12 millimeters", "mm", 12.0), ("3 litres per second", "L/s", 3.0), ("30 degrees", "deg", 30.0),
        ("2 cubic metres per second", "L/s", 2000.0), ("20 degrees Celsius", "K", 293.15),
        ("20 deg C", "°C", 20.0), ("5 kilonewtons per square metre", "kPa", 5.0), ("4 sq ft", "ft2", 4.0),
        ("9.81 metres per second squared", "m/s2", 9.81), ("12 kilonewton-metres", "kN.m", 12.0),
        ("50 pounds per square inch", "psi", 50.0), ("400 kilovolt-amperes", "kVA", 400.0),
        ("85 kilovolt-amperes reactive", "kvar", 85.0), ("3 kilowatt-hours", "MJ", 10.8),
        ("1 inches of water", "Pa", 249.08891), ("760 mm of mercury", "kPa", 101.325),
        ("1450 revolutions per minute", "rpm", 1450.0), ("100 foot-pounds", "N.m", 135.5818),
        ("3/4 in", "mm", 19.05), ('1 1/2"', "mm", 38.1), ("5'-6\"", "m", 1.6764), ("5 ft 6 in", "in", 66.0),
        ("12,5 kN", "kN", 12.5), ("≈12.5 kN", "kN", 12.5), ("ca. 12,5 kN", "N", 12500.0),
        ("1.25 × 10^4 N", "kN", 12.5), ("1.25·10⁴ N", "kN", 12.5), ("2.5x10^-3 m", "mm", 2.5),
    ],
)  # fmt: skip
def test_what_engineers_write_is_read(answer: str, unit: str, value: float) -> None:
    check = near(rel=1e-5, unit=unit, convert=True)
    assert check(value, answer, "x").score == 1.0, check(value, answer, "x").evidence


@pytest.mark.parametrize(
    ("given", "asked"),
    [("kg", "N"), ("kg/m3", "kN/m3"), ("kvar", "kW"), ("kVA", "kW"), ("kvar", "kVA"), ("MPA", "Pa"),
     ("m", "s"),
     ("furlong", "m"), ("m/furlong", "m"), ("m?", "m"), ("Hz", "1/s")],
)  # fmt: skip
def test_what_is_not_the_same_does_not_convert(given: str, asked: str) -> None:
    assert convert_unit(10.2, given, asked) is None


def test_a_difference_of_temperatures_is_not_a_temperature() -> None:
    assert convert_unit(20.0, "C", "K") == pytest.approx(293.15)
    assert convert_unit(20.0, "C", "delta_K") == pytest.approx(20.0)
    assert convert_unit(20.0, "K", "C") == pytest.approx(-253.15)
    assert convert_unit(1.0, "F", "uF") == pytest.approx(1e6)
    assert kit.same_unit("°C", "C")
    assert not kit.same_unit("°C", "K")
    assert kit.same_unit("°C", "ΔK")
    assert kit.diagnose(20.0, 293.15, name="outlet_temp", unit="C", rel=0.01) is not None
    assert kit.diagnose(20.0, 293.15, name="temp_rise", unit="C", rel=0.01) is None
    assert kit.diagnose(20.0, 293.15, name="x", unit="ΔK", rel=0.01) is None


@pytest.mark.parametrize(
    "word",
    ["newton", "pascal", "meter", "metre", "gram", "second", "watt", "joule", "volt", "ampere", "ohm",
     "farad", "henry", "coulomb", "tesla", "siemens", "liter", "litre", "radian", "bar", "calorie", "poise",
     "stokes", "mole"],
)  # fmt: skip
def test_words_in_full_are_what_pint_takes_them_for(word: str) -> None:
    for prefix in ("", *kit._WORD_PREFIXES):
        right = ORACLE.parse_expression(prefix + word).to_base_units()
        for text in (prefix + word, f"{prefix}{word}s", f"{prefix}{word}".capitalize()):
            found = unit_size(text)
            assert found is not None, text
            assert math.isclose(found[0], right.magnitude, rel_tol=1e-9), text


def test_words_after_a_number_are_no_unit() -> None:
    assert split_number("12.5 mm deep") is None
    assert split_number("12.5 kN m") == (12.5, "kN m")
    assert split_number("5 x 10 mm") is None
    assert split_number("5 x 10^400 mm") is None
    assert split_number("3 " + "m" * 30) is None
    for number in range(1200):  # what agents write is not kept without end
        unit_size(f"unit{number}")
    assert unit_size("m/s") == (1.0, {"m": 1, "s": -1})


def test_significant_figures_can_be_demanded() -> None:
    check = near(rel=0.01, figures=4, strings=True)
    answer = kit.read_answer('{"a": 3.10, "b": 3.100, "c": 3.1, "d": 3100, "e": 0.003100, "f": 3.1e-3}')
    assert check(3.1, answer["b"], "x").score == 1
    assert "fewer than the 4 significant figures" in check(3.1, answer["a"], "x").evidence
    assert check(3.1, answer["c"], "x").causes[0][1].category == "premature rounding"
    assert check(3100, answer["d"], "x").score == 1
    assert check(0.0031, answer["e"], "x").score == 1
    assert check(0.0031, answer["f"], "x").score == 0
    assert check(3.1, "3.100", "x").score == 1
    assert check(3.1, "3,100 m", "x").score == 0
    assert check(31000, "3.1 × 10^4", "x").score == 0
    assert near(rel=0.01, figures=4, unit="m3/s")(3.1, "3.10 m3/s", "x").score == 0
    assert check(3.1415, 3.142, "x").score == 1
    with pytest.raises(ValueError, match="figures is 0; allowed"):
        near(figures=0)
