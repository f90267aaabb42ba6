import { type Behaviour, blocks, marker } from './behaviour.ts';

const filler = (
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et ' +
  'dolore magna aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex ' +
  'ea commodo consequat'
).split(' ');

const usualLength = 256;

/** As many words of filler as the limit allows, including the marker; the seed selects the first word. */
export const lorem: Behaviour = function* ({ request }) {
  const length = request.maxOutputTokens ?? usualLength;
  const seed = Math.abs(request.sampling.seed ?? 0);
  yield { kind: 'text', block: blocks.text, text: marker };
  for (let count = 1; count < length; count++) {
    const word = filler[(seed + count - 1) % filler.length] ?? '';
    yield { kind: 'text', block: blocks.text, text: count === length - 1 ? word : `${word} ` };
  }
};
