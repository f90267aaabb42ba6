import { isDeepStrictEqual } from 'node:util';
import { jsonrepair } from 'jsonrepair';
import { healJson } from '../../src/stages/response-healing/heal-json.ts';
import { parseJson } from '../../src/util/json.ts';
import { damagedDocuments } from './damaged-documents.ts';
import { SeededRandom } from './seeded-random.ts';

/** How many damaged documents come out as they were meant. */
export interface HealingQuality {
  readonly fault: string;
  readonly documents: number;
  /** Equal to the original after healing, and after the repair library alone. */
  readonly healed: number;
  readonly libraryAlone: number;
  /** Right before healing, and not after it. */
  readonly worse: number;
}

const wanted = { mustBeObject: true, opens: '{' } as const;

/** Heals documents with faults that models make, by fault. */
export function measureHealing(count: number, seed: number): readonly HealingQuality[] {
  const documents = damagedDocuments(count, new SeededRandom(seed));
  return [...Map.groupBy(documents, ({ fault }) => fault)].map(([fault, all]) => ({
    fault,
    documents: all.length,
    healed: all.filter(({ text, value }) => isEqual(healJson(text, wanted) ?? text, value)).length,
    libraryAlone: all.filter(({ text, value }) => isEqual(repair(text), value)).length,
    worse: all.filter(
      ({ text, value }) => isEqual(text, value) && !isEqual(healJson(text, wanted) ?? text, value),
    ).length,
  }));
}

function isEqual(text: string | undefined, value: unknown): boolean {
  return text !== undefined && isDeepStrictEqual(parseJson(text), value);
}

function repair(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
