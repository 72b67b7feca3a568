"""The parts of scripts/report.py: results -> analysis -> page and figures."""
