import { nanoFromInteger } from '../../core/money.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';

interface StoredTerms {
  readonly feeBasisPoints: number;
  /** Decimal: JSON has no exact integers of this size. */
  readonly monthlyAllowance: string;
}

/** A charge as a line of the journal: its terms follow it as a third part, for its fee is decided when it is booked. */
export function byokLine({ line, terms }: ByokCharge): string {
  const { feeBasisPoints, monthlyAllowance } = terms;
  const stored: StoredTerms = { feeBasisPoints, monthlyAllowance: monthlyAllowance.toString() };
  return `${line.slice(0, -1)}\t${JSON.stringify(stored)}\n`;
}

/** The charge in a line of the journal, or undefined when its fee is no question. */
export function readByokLine(text: string): ByokCharge | undefined {
  const end = text.indexOf('\t', text.indexOf('\t') + 1);
  if (end === -1) return undefined;
  const { feeBasisPoints, monthlyAllowance } = JSON.parse(text.slice(end + 1)) as StoredTerms;
  return {
    line: `${text.slice(0, end)}\n`,
    terms: { feeBasisPoints, monthlyAllowance: nanoFromInteger(BigInt(monthlyAllowance)) },
  };
}
