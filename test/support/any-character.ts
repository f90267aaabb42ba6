import fc from 'fast-check';

/** How many code points are halves of pairs, which stand for no character, and where they begin. */
const halves = { count: 0x800, from: 0xd800 };

/** Any character there is. What `unit: 'binary'` means too, which takes seconds to make in each process. */
export const anyCharacter = fc
  .nat(0x10ffff - halves.count)
  .map((place) => String.fromCodePoint(place < halves.from ? place : place + halves.count));
