"""From the stored rounds to the table: medians, and ratios of runs of the same round."""
import statistics

import modes as m


def ratios(rounds, row, mode, base):
    """The mode's value over the base's, of each round that has both."""
    return [r[mode][row] / r[base][row] for r in rounds
            if r.get(mode, {}).get(row) and r.get(base, {}).get(row)]


def ratio_text(values):
    return f"{statistics.median(values):.3f}" if values else ""


def spread_text(values):
    return f"{min(values):.3f} to {max(values):.3f}" if len(values) > 1 else ""


def value_text(value, unit):
    return f"{value:,.0f} {unit}" if unit == "ns" else f"{value:.3f} {unit}"


def row_lines(row, rounds):
    lines = []
    for mode in m.modes_of_row(row, m.MODES):
        values = [r[mode.key][row.key] for r in rounds if r.get(mode.key, {}).get(row.key)]
        if not values:
            continue
        to_none = ratios(rounds, row.key, mode.key, m.NO_TOOL)
        floor = m.floor_of(mode)
        to_floor = ratios(rounds, row.key, mode.key, floor) if floor else []
        # Without a tool the spread is that of the values: how far two such runs differ.
        middle = statistics.median(values)
        spread = [v / middle for v in values] if mode.key == m.NO_TOOL else to_none
        cells = ["" if lines else f"{row.label} ({len(rounds)} rounds)", mode.label,
                 value_text(middle, row.unit), ratio_text(to_none), spread_text(spread),
                 ratio_text(to_floor)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def render(data):
    """Markdown: what ran where, one line a row and tool, then what went wrong."""
    lines = [data["machine"], "",
             "| work | tool | median | ratio to no tool | smallest to largest | ratio to the floor |",
             "| --- | --- | --- | --- | --- | --- |"]
    for row in m.ROWS:
        lines += row_lines(row, data["rounds"].get(row.group, []))
    if data["notes"]:
        lines += [""] + [f"- {note}" for note in data["notes"]]
    return "\n".join(lines) + "\n"
