/** Work that is kept brings its names along: those of every visit differ. */
const visit = Math.random().toString(36).slice(2, 8);
let serial = 0;

/** A name that nothing else has. */
export const newId = (prefix: string): string => `${prefix}${++serial}-${visit}`;
