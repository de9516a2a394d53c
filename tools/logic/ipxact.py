# SPDX-License-Identifier: Apache-2.0
"""IP-XACT of 2009 for a wrapper, as Vivado packs it."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from tools import HDL
from tools.logic.wrapper import BANNER, Wrapper, sources


def element(name: str, text: object, **attributes: str) -> str:
    given = "".join(f' spirit:{key}="{escape(value)}"' for key, value in attributes.items())
    return f"<spirit:{name}{given}>{escape(str(text))}</spirit:{name}>"


def reference(library: str, name: str, tag: str) -> str:
    return (
        f'<spirit:{tag} spirit:vendor="xilinx.com" spirit:library="{library}" '
        f'spirit:name="{name}" spirit:version="1.0"/>'
    )


def value_of(w: Wrapper, expression: str) -> int:
    names = {p["name"]: p["value"] for p in w.parameters}
    return int(eval(expression.replace("/", "//"), {}, names))


def left(w: Wrapper, width: str) -> str:
    """The upper index of a port, following the parameters."""
    if width.isdigit():
        return element("left", int(width) - 1, format="long")
    name = width.split("/")[0]
    expression = width.replace(name, f"spirit:decode(id('MODELPARAM_VALUE.{name}'))")
    text = value_of(w, width) - 1
    dependency = f"({expression}) - 1"
    return element("left", text, format="long", resolve="dependent", dependency=dependency)


def port(w: Wrapper, name: str, width: str, output: bool) -> str:
    vector = "" if width == "1" else f"<spirit:vector>{left(w, width)}"
    if vector:
        vector += element("right", 0, format="long") + "</spirit:vector>"
    direction = element("direction", "out" if output else "in")
    return (
        f"      <spirit:port>{element('name', name)}"
        f"<spirit:wire>{direction}{vector}</spirit:wire></spirit:port>"
    )


def mapped(pairs: list[tuple[str, str]]) -> str:
    maps = "".join(
        f"\n        <spirit:portMap><spirit:logicalPort>{element('name', logical)}"
        f"</spirit:logicalPort><spirit:physicalPort>{element('name', physical)}"
        "</spirit:physicalPort></spirit:portMap>"
        for logical, physical in pairs
    )
    return f"<spirit:portMaps>{maps}\n      </spirit:portMaps>"


def properties(owner: str, **values: object) -> str:
    inner = "".join(
        f"<spirit:parameter>{element('name', name)}"
        f"{element('value', value, id=f'BUSIFPARAM_VALUE.{owner}.{name}')}</spirit:parameter>"
        for name, value in values.items()
    )
    return f"<spirit:parameters>{inner}</spirit:parameters>" if inner else ""


def signal_interface(name: str, kind: str, role: str, logical: str, **values: object) -> str:
    return (
        f"    <spirit:busInterface>{element('name', name)}"
        f"{reference('signal', kind, 'busType')}"
        f"{reference('signal', kind + '_rtl', 'abstractionType')}<spirit:{role}/>"
        f"{mapped([(logical, name)])}{properties(name.upper(), **values)}</spirit:busInterface>"
    )


def ipxact(w: Wrapper) -> str:
    busses = ":".join(i.name for i in w.interfaces)
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<!-- SPDX-License-Identifier: Apache-2.0. {BANNER} Not built here. -->",
        '<spirit:component xmlns:spirit="http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"'
        ' xmlns:xilinx="http://www.xilinx.com"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
        f"  {element('vendor', w.vendor)}{element('library', 'user')}"
        f"{element('name', w.name)}{element('version', w.version)}",
        "  <spirit:busInterfaces>",
    ]
    for i in w.interfaces:
        if i.master:
            role = f'<spirit:master><spirit:addressSpaceRef spirit:addressSpaceRef="{i.name}"/>'
            role += "</spirit:master>"
        else:
            role = '<spirit:slave><spirit:memoryMapRef spirit:memoryMapRef="s_axi"/></spirit:slave>'
        pairs = [(s.name.upper(), f"{i.name}_{s.name}") for s in i.signals]
        out.append(
            f"    <spirit:busInterface>{element('name', i.name)}"
            f"{reference('interface', 'aximm', 'busType')}"
            f"{reference('interface', 'aximm_rtl', 'abstractionType')}{role}"
            f"{mapped(pairs)}{properties(i.name.upper(), PROTOCOL=f'AXI{w.axi}')}"
            "</spirit:busInterface>"
        )
    out += [
        signal_interface(
            "aclk", "clock", "slave", "CLK", ASSOCIATED_BUSIF=busses, ASSOCIATED_RESET="aresetn"
        ),
        signal_interface("aresetn", "reset", "slave", "RST", POLARITY="ACTIVE_LOW"),
        signal_interface("fabric_clk", "clock", "slave", "CLK", ASSOCIATED_RESET="fabric_resetn"),
        signal_interface("fabric_resetn", "reset", "slave", "RST", POLARITY="ACTIVE_LOW"),
        signal_interface("irq", "interrupt", "master", "INTERRUPT", SENSITIVITY="LEVEL_HIGH"),
        "  </spirit:busInterfaces>",
        "  <spirit:addressSpaces>",
    ]
    for i in w.interfaces:
        if i.master:
            size = element("range", f"{1 << value_of(w, 'DMA_ADDR_W')}", format="long")
            out.append(
                f"    <spirit:addressSpace>{element('name', i.name)}{size}"
                f"{element('width', value_of(w, 'DMA_DATA_W'), format='long')}"
                "</spirit:addressSpace>"
            )
    out += [
        "  </spirit:addressSpaces>",
        "  <spirit:memoryMaps>",
        f"    <spirit:memoryMap>{element('name', 's_axi')}<spirit:addressBlock>"
        f"{element('name', 'registers')}{element('baseAddress', 0, format='long')}"
        f"{element('range', 1 << 21, format='long')}{element('width', 32, format='long')}"
        f"{element('usage', 'register')}</spirit:addressBlock></spirit:memoryMap>",
        "  </spirit:memoryMaps>",
        "  <spirit:model>",
        f"    <spirit:views><spirit:view>{element('name', 'xilinx_anylanguagesynthesis')}"
        f"{element('envIdentifier', ':vivado.xilinx.com:synthesis')}"
        f"{element('language', 'SystemVerilog')}{element('modelName', w.name)}"
        f"<spirit:fileSetRef>{element('localName', 'sources')}</spirit:fileSetRef>"
        "</spirit:view></spirit:views>",
        "    <spirit:ports>",
    ]
    for name in ("aclk", "aresetn", "fabric_clk", "fabric_resetn"):
        out.append(port(w, name, "1", False))
    out += [port(w, name, "1", True) for name in ("irq", "irq_pulse")]
    for i in w.interfaces:
        out += [port(w, f"{i.name}_{s.name}", s.width, s.output) for s in i.signals]
    out += ["    </spirit:ports>", "    <spirit:modelParameters>"]

    def valued(p: dict[str, Any], kind: str) -> str:
        attributes = {"format": "long"}
        value = str(p["value"])
        if "bits" in p:
            attributes = {"format": "bitString", "bitStringLength": str(p["bits"])}
            value = f"0x{p['value']:0{p['bits'] // 4}X}"
        if kind == "PARAM_VALUE":
            attributes["resolve"] = "user"
            if "choices" in p:
                attributes["choiceRef"] = f"choice_{p['name']}"
            if "range" in p:
                attributes["minimum"], attributes["maximum"] = map(str, p["range"])
                attributes["rangeType"] = "long"
        else:
            attributes["resolve"] = "generated"
        return element("value", value, id=f"{kind}.{p['name']}", **attributes)

    for p in w.parameters:
        out.append(
            f'      <spirit:modelParameter spirit:dataType="integer">{element("name", p["name"])}'
            f"{valued(p, 'MODELPARAM_VALUE')}</spirit:modelParameter>"
        )
    out += ["    </spirit:modelParameters>", "  </spirit:model>", "  <spirit:choices>"]
    for p in w.parameters:
        if "choices" in p:
            items = "".join(element("enumeration", choice) for choice in p["choices"])
            name = element("name", f"choice_{p['name']}")
            out.append(f"    <spirit:choice>{name}{items}</spirit:choice>")
    out += [
        "  </spirit:choices>",
        f"  <spirit:fileSets><spirit:fileSet>{element('name', 'sources')}",
    ]
    for path in sources():
        out.append(
            f"    <spirit:file>{element('name', f'../../../{path.relative_to(HDL)}')}"
            f"{element('fileType', 'systemVerilogSource')}</spirit:file>"
        )
    out += [
        f"    <spirit:file>{element('name', f'../{w.name}.v')}"
        f"{element('fileType', 'verilogSource')}</spirit:file>",
        f"    <spirit:file>{element('name', '../datra.xdc')}"
        f"{element('userFileType', 'xdc')}</spirit:file>",
        "  </spirit:fileSet></spirit:fileSets>",
        f"  {element('description', f'Datra backplane, AXI{w.axi}')}",
        "  <spirit:parameters>",
    ]
    for p in w.parameters:
        out.append(
            f"    <spirit:parameter>{element('name', p['name'])}"
            f"{element('displayName', p['text'])}{valued(p, 'PARAM_VALUE')}</spirit:parameter>"
        )
    out += ["  </spirit:parameters>", "</spirit:component>", ""]
    return "\n".join(out)
