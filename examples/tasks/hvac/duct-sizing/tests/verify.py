"""Scores /workspace/ducts.csv: rows matched by section, by precision and recall.

A row's credit is the mean of its fields. The reference is computed by solution/solve.sh, which shows two of
the sections by hand.
"""

from adjudge_kit import Verifier, near

DUCTS = [
    {"section": "S1", "diameter_mm": 560, "velocity_m_s": 7.3081, "friction_loss_pa": 13.7337},
    {"section": "S2", "diameter_mm": 500, "velocity_m_s": 6.3662, "friction_loss_pa": 8.7542},
    {"section": "S3", "diameter_mm": 400, "velocity_m_s": 4.3768, "friction_loss_pa": 8.6202},
    {"section": "S4", "diameter_mm": 400, "velocity_m_s": 5.5704, "friction_loss_pa": 7.9126},
    {"section": "S5", "diameter_mm": 315, "velocity_m_s": 3.5929, "friction_loss_pa": 2.9506},
    {"section": "S6", "diameter_mm": 250, "velocity_m_s": 2.4446, "friction_loss_pa": 2.8686},
]
FIELDS = {
    "diameter_mm": near(strings=True),
    "velocity_m_s": near(rel=0.01, strings=True),
    "friction_loss_pa": near(rel=0.02, strings=True),
}

with Verifier.from_file("/workspace/ducts.csv") as v:
    v.table("ducts", DUCTS, key="section", fields=FIELDS)
