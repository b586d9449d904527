'use strict';
/*
 * Hierarchical names. There is one object for each name, so that names are compared by identity.
 */

class Name {
  constructor(parent, part, id) {
    this.parent = parent;      // null for the anonymous name and for names of our own
    this.part = part;          // a string, or a number
    this.id = id;
    this.text = null;
  }

  toString() {
    if (this.text === null) {
      const own = render(this.part);
      this.text = this.parent === null || this.parent === anonymous ? own : `${this.parent}.${own}`;
    }
    return this.text;
  }
}

function render(part) {
  if (typeof part === 'number') return String(part);
  if (/["«»]/u.test(part)) return JSON.stringify(part);
  return /^\d*$|[\s.]/u.test(part) ? `«${part}»` : part;
}

const known = new Map();
let count = 0;
const anonymous = new Name(null, '', count++);
anonymous.text = '';

/** The name made of `parent` and one more component. */
function child(parent, part) {
  const key = typeof part === 'number' ? `${parent.id}#${part}` : `${parent.id}.${part}`;
  let name = known.get(key);
  if (name === undefined) known.set(key, name = new Name(parent, part, count++));
  return name;
}

/** A name that no stream can contain: it is in no table. */
const unheardOf = (text) => new Name(null, text, count++);

/** The name that is usually written like this; for names without odd components. */
const named = (dotted) => dotted.split('.').reduce(child, anonymous);

/** The first component. */
function root(name) {
  while (name.parent !== null && name.parent !== anonymous) name = name.parent;
  return name.part;
}

module.exports = { anonymous, child, named, unheardOf, root };
