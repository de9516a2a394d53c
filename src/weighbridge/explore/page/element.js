// SPDX-License-Identifier: Apache-2.0
// Elements from names, properties and children; text is never read as markup.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, does] of Object.entries(value)) made.addEventListener(event, does);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

// A row of cells: [text, class, full digits to show where it is pointed at].
export function row(cells, properties = {}) {
  const made = element("tr", properties);
  for (const [content, kind, exact] of cells) {
    made.append(element("td", { className: kind || "", title: exact === undefined || exact === null ? "" : String(exact) }, content));
  }
  return made;
}

export function headings(table, names) {
  const cells = names.map(([name, kind]) => element("th", { scope: "col", className: kind || "" }, name));
  table.tHead.replaceChildren(element("tr", {}, ...cells));
}
