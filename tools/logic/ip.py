# SPDX-License-Identifier: Apache-2.0
"""Makes flat wrappers of `datra` and their descriptions for vendors' tools out of reference.toml.

    python -m tools.logic.ip

For AXI4 and AXI3 each: datra_axi<n>.v, plain Verilog with the port names that tools group into
interfaces by themselves; axi<n>/component.xml, IP-XACT of 2009 as Vivado packs it; and
datra_axi<n>_hw.tcl for Platform Designer; and the table of parameters in docs/integration.md. All
are committed. The descriptions were not built here,
no vendor's tool being at hand; that they agree with the wrappers is tested.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools import HDL, ROOT
from tools.generated import replaced
from tools.logic.ipxact import ipxact
from tools.logic.platform_designer import platform_designer
from tools.logic.wrapper import BANNER, Wrapper, wrapper

HOME = HDL / "datra" / "ip"
REFERENCE = HOME / "reference.toml"
PAGE = ROOT / "docs/integration.md"


def vector(width: str) -> str:
    return "" if width == "1" else f" [{width}-1:0]"


def verilog(w: Wrapper) -> str:
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        "",
        f"// The reference configuration as AXI{w.axi}, in plain Verilog with flat port names.",
        f"// {BANNER}",
        "//",
        "// All AXI ports and both interrupts are in `aclk`. With ASYNC 1 nodes and router are in",
        "// `fabric_clk`, of any ratio; else it is not used, nor its reset. Resets are",
        "// synchronous, active low, and held for eight cycles of the slower clock.",
    ]
    if w.axi == 3:
        out += [
            "//",
            "// Writes are not interleaved: the register port takes data in the order of addresses",
            "// and does not look at WID; the DMA ports show it. Locked accesses are as any other.",
        ]
    out += [f"module {w.name} #("]
    lines = []
    for p in w.parameters:
        bits = p.get("bits")
        kind = f"[{bits - 1}:0] " if bits else ""
        value = f"{bits}'h{p['value']:x}" if bits else str(p["value"])
        lines.append(f"    parameter {kind}{p['name']} = {value}")
    out += [",\n".join(lines), ") ("]
    busses = ":".join(i.name for i in w.interfaces)
    ports = [
        f'    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)\n'
        f'    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF {busses}, '
        f'ASSOCIATED_RESET aresetn" *)\n    input wire aclk',
        '    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)\n'
        '    (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)\n    input wire aresetn',
        '    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 fabric_clk CLK" *)\n'
        '    (* X_INTERFACE_PARAMETER = "ASSOCIATED_RESET fabric_resetn" *)\n'
        "    input wire fabric_clk",
        '    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 fabric_resetn RST" *)\n'
        '    (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)\n    input wire fabric_resetn',
        '    (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 irq INTERRUPT" *)\n'
        '    (* X_INTERFACE_PARAMETER = "SENSITIVITY LEVEL_HIGH" *)\n    output wire irq',
        "    output wire irq_pulse",
    ]
    for i in w.interfaces:
        protocol = f'    (* X_INTERFACE_PARAMETER = "PROTOCOL AXI{w.axi}" *)\n'
        for n, s in enumerate(i.signals):
            info = f'"xilinx.com:interface:aximm:1.0 {i.name} {s.name.upper()}"'
            ports.append(
                f"    (* X_INTERFACE_INFO = {info} *)\n"
                + (protocol if n == 0 else "")
                + f"    {'output' if s.output else 'input'} wire{vector(s.width)} {i.name}_{s.name}"
            )
    out += [",\n".join(ports), ");", ""]

    masters = [i.name for i in w.interfaces if i.master]
    if w.axi == 3:
        out.append(f"  wire [8*{w.dma_nodes}-1:0] awlens, arlens;")
    for m, name in enumerate(masters):
        for channel in ("aw", "ar"):
            out.append(f"  assign {name}_{channel}lock = 0;")
            if w.axi == 4:
                out.append(f"  assign {name}_{channel}qos = 4'd0;")
            else:
                out.append(f"  assign {name}_{channel}len = {channel}lens[8*{m}+:4];")
    out += ["", "  datra #("]
    connections = [f"      .DMA_NODES({w.dma_nodes})"]
    connections += [f"      .{p['name']}({p['name']})" for p in w.parameters]
    out += [",\n".join(connections), "  ) logic_ ("]
    pins = [
        "      .clk(ASYNC != 0 ? fabric_clk : aclk)",
        "      .rst(ASYNC != 0 ? !fabric_resetn : !aresetn)",
        "      .axi_clk(aclk)",
        "      .axi_rst(!aresetn)",
        "      .irq(irq)",
        "      .irq_pulse(irq_pulse)",
    ]
    slave = w.interfaces[0]
    skipped = ("lock", "cache", "prot", "qos")
    for s in slave.signals:
        if s.name.endswith(skipped) or s.name == "wid":
            continue
        value = f"s_axi_{s.name}"
        if s.name.endswith("len") and w.axi == 3:
            value = f"{{4'd0, {value}}}"
        pins.append(f"      .s_axi_{s.name}({value})")
    for s in w.interfaces[1].signals:
        if s.name.endswith(("lock", "qos")):
            continue
        value = ", ".join(f"{name}_{s.name}" for name in reversed(masters))
        if s.name in ("awlen", "arlen") and w.axi == 3:
            value = f"{s.name}s"
        elif len(masters) > 1:
            value = f"{{{value}}}"
        pins.append(f"      .m_axi_{s.name}({value})")
    if w.axi == 4:
        pins.append("      .m_axi_wid()")
    out += [",\n".join(pins), "  );", "", "endmodule", ""]
    return "\n".join(out)


def generated(reference: Path = REFERENCE) -> dict[str, str]:
    """Each file below hdl/datra/ip and what it contains, of a configuration."""
    files = {}
    for axi in (3, 4):
        w = wrapper(axi, reference)
        files[f"{w.name}.v"] = verilog(w)
        files[f"{w.name}_hw.tcl"] = platform_designer(w)
        files[f"axi{axi}/component.xml"] = ipxact(w)
    return files


def write(directory: Path, reference: Path = REFERENCE) -> None:
    """Writes all of them below a directory."""
    for name, text in generated(reference).items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)


def allowed(parameter: Mapping[str, Any]) -> str:
    """What a user may set a parameter to."""
    if "choices" in parameter:
        return ", ".join(map(str, parameter["choices"]))
    if "range" in parameter:
        least, most = parameter["range"]
        return f"{least} to {most}"
    return f"{parameter['bits']} bits"


def page(text: str) -> str:
    """The text of docs/integration.md with the parameters as they are now."""
    rows = [
        f"| `{one['name']}` | {one['value']} | {allowed(one)} | {one['text']}"
        f"{' (AXI4 only)' if one.get('axi') == 4 else ''} |\n"
        for one in tomllib.loads(REFERENCE.read_text())["parameter"]
    ]
    head = "| parameter | default | allowed | |\n|---|--:|---|---|\n"
    return replaced(text, "ip", head + "".join(rows))


if __name__ == "__main__":
    write(HOME)
    PAGE.write_text(page(PAGE.read_text()))
