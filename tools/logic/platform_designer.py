# SPDX-License-Identifier: Apache-2.0
"""The script that describes a wrapper to Intel's Platform Designer."""

from __future__ import annotations

from tools import HDL
from tools.logic.wrapper import BANNER, Wrapper, sources


def platform_designer(w: Wrapper) -> str:
    kind = "axi4" if w.axi == 4 else "axi"
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        "#",
        f"# {BANNER} Not built here.",
        "# An Avalon-MM host reaches the register port, and the DMA ports an Avalon-MM agent,",
        "# through the translators that the interconnect puts between.",
        "",
        "package require -exact qsys 16.0",
        f"set_module_property NAME {w.name}",
        f"set_module_property VERSION {w.version}",
        f'set_module_property DISPLAY_NAME "Datra backplane, AXI{w.axi}"',
        'set_module_property GROUP "Weighbridge"',
        "set_module_property EDITABLE false",
        "",
        'add_fileset synthesis QUARTUS_SYNTH "" ""',
        f"set_fileset_property synthesis TOP_LEVEL {w.name}",
    ]
    for path in sources():
        relative = f"../../{path.relative_to(HDL)}"
        out.append(f"add_fileset_file {path.name} SYSTEM_VERILOG PATH {relative}")
    out += [
        f"add_fileset_file {w.name}.v VERILOG PATH {w.name}.v TOP_LEVEL_FILE",
        "add_fileset_file datra.sdc SDC PATH datra.sdc",
        "",
    ]
    for p in w.parameters:
        kind_of = "STD_LOGIC_VECTOR" if "bits" in p else "INTEGER"
        out.append(f"add_parameter {p['name']} {kind_of} {p['value']}")
        if "bits" in p:
            out.append(f"set_parameter_property {p['name']} WIDTH {p['bits']}")
        if "choices" in p:
            choices = " ".join(map(str, p["choices"]))
            out.append(f"set_parameter_property {p['name']} ALLOWED_RANGES {{{choices}}}")
        if "range" in p:
            low, high = p["range"]
            out.append(f"set_parameter_property {p['name']} ALLOWED_RANGES {low}:{high}")
        out.append(f"set_parameter_property {p['name']} HDL_PARAMETER true")
        out.append(f'set_parameter_property {p["name"]} DISPLAY_NAME "{p["text"]}"')
    for clock, reset in (("aclk", "aresetn"), ("fabric_clk", "fabric_resetn")):
        out += [
            "",
            f"add_interface {clock} clock end",
            f"add_interface_port {clock} {clock} clk Input 1",
            f"add_interface {reset} reset end",
            f"set_interface_property {reset} associatedClock {clock}",
            f"add_interface_port {reset} {reset} reset_n Input 1",
        ]
    for i in w.interfaces:
        out += [
            "",
            f"add_interface {i.name} {kind} {'start' if i.master else 'end'}",
            f"set_interface_property {i.name} associatedClock aclk",
            f"set_interface_property {i.name} associatedReset aresetn",
        ]
        if not i.master:
            out.append(f"set_interface_property {i.name} readAcceptanceCapability 2")
            out.append(f"set_interface_property {i.name} writeAcceptanceCapability 2")
        else:
            out.append(f"set_interface_property {i.name} readIssuingCapability 34")
            out.append(f"set_interface_property {i.name} writeIssuingCapability 34")
        for s in i.signals:
            direction = "Output" if s.output else "Input"
            width = s.width if s.width.isdigit() else f"({s.width})"
            out.append(
                f"add_interface_port {i.name} {i.name}_{s.name} {s.name} {direction} {width}"
            )
    out += [
        "",
        "add_interface irq interrupt end",
        "set_interface_property irq associatedClock aclk",
        "set_interface_property irq associatedAddressablePoint s_axi",
        "add_interface_port irq irq irq Output 1",
        "add_interface irq_pulse conduit end",
        "add_interface_port irq_pulse irq_pulse pulse Output 1",
        "",
    ]
    return "\n".join(out)
