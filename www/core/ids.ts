/** Random per visit, so that new ids differ from those in work stored by an earlier visit. */
const visit = Math.random().toString(36).slice(2, 8);
let serial = 0;

/** Returns a unique id. */
export const newId = (prefix: string): string => `${prefix}${++serial}-${visit}`;

/** Returns a random id. Unlike `crypto.randomUUID`, it also works in insecure contexts (plain HTTP). */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (value) => value.toString(16).padStart(8, "0")).join("");

const numbers = new WeakMap<object, number>();

/** Returns a number that identifies an object, for keys of what was drawn. */
export function identityOf(object: object): number {
  const number = numbers.get(object) ?? ++serial;
  numbers.set(object, number);
  return number;
}
