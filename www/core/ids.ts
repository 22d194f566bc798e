/** Random per visit, so that new ids differ from those in work stored by an earlier visit. */
const visit = Math.random().toString(36).slice(2, 8);
let serial = 0;

/** Returns a unique id. */
export const newId = (prefix: string): string => `${prefix}${++serial}-${visit}`;
