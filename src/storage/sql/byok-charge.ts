import type { ByokTerms } from '../../core/byok-fee.ts';
import { nanoFromInteger } from '../../core/money.ts';

/** A charge line whose fee depends on what the month of its account has come to so far. */
export interface ByokCharge {
  readonly line: string;
  readonly terms: ByokTerms;
}

interface StoredTerms {
  readonly feeBasisPoints: number;
  /** Decimal: JSON has no exact integers of this size. */
  readonly monthlyAllowance: string;
}

/** The charge as one line that can wait to be booked: its charge line with the terms as a third part. */
export function byokLine({ line, terms }: ByokCharge): string {
  const { feeBasisPoints, monthlyAllowance } = terms;
  const stored: StoredTerms = { feeBasisPoints, monthlyAllowance: monthlyAllowance.toString() };
  return `${line.slice(0, -1)}\t${JSON.stringify(stored)}\n`;
}

/** Reads a line made by `byokLine`; undefined for a plain charge line. */
export function readByokLine(text: string): ByokCharge | undefined {
  const end = text.indexOf('\t', text.indexOf('\t') + 1);
  if (end === -1) return undefined;
  const { feeBasisPoints, monthlyAllowance } = JSON.parse(text.slice(end + 1)) as StoredTerms;
  return {
    line: `${text.slice(0, end)}\n`,
    terms: { feeBasisPoints, monthlyAllowance: nanoFromInteger(BigInt(monthlyAllowance)) },
  };
}
