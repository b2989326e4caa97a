// Elements in one expression.

export interface Attributes {
  class?: string;
  id?: string;
  text?: string;
  title?: string;
  type?: string;
  role?: string;
  html?: string;
  data?: Record<string, string>;
  aria?: Record<string, string>;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  if (attributes.class) node.className = attributes.class;
  if (attributes.id) node.id = attributes.id;
  if (attributes.text !== undefined) node.textContent = attributes.text;
  if (attributes.html !== undefined) node.innerHTML = attributes.html;
  if (attributes.title) node.title = attributes.title;
  if (attributes.type) node.setAttribute('type', attributes.type);
  if (attributes.role) node.setAttribute('role', attributes.role);
  for (const [key, value] of Object.entries(attributes.data ?? {})) node.dataset[key] = value;
  for (const [key, value] of Object.entries(attributes.aria ?? {})) node.setAttribute(`aria-${key}`, value);
  node.append(...children);
  return node;
}

/** An element of the page's own HTML. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

export function button(label: string, title: string, onClick: () => void, icon?: string): HTMLButtonElement {
  const node = element('button', { type: 'button', title, aria: { label: title } });
  if (icon) node.append(element('span', { class: 'icon', html: icon }));
  if (label) node.append(element('span', { class: 'label', text: label }));
  node.addEventListener('click', onClick);
  return node;
}
