import type { NanoUsd } from '../core/money.ts';

/** A document for an engine: its address, or its bytes in a data URL. */
export interface OcrDocument {
  readonly url: string;
  /** As the client named it. */
  readonly name: string;
}

/** A page as an engine read it. */
export interface OcrPage {
  /** Markdown. */
  readonly text: string;
  /** Pictures on it as data URLs, in their order. */
  readonly images: readonly string[];
}

/** What an engine read. */
export interface OcrText {
  readonly pages: readonly OcrPage[];
  /** How many pages it charges for. */
  readonly billedPages: number;
}

/** For whom a document is read. */
export interface OcrAsker {
  /** The account: accounts take turns where answers are read. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

/** A service that reads documents, scanned ones too. Its name is the one of requests. */
export interface OcrEngine {
  readonly name: string;
  readonly pricePerPage: NanoUsd;
  /** Pages of a document that it reads at most. */
  readonly mostPages: number;
  /** @throws OcrFailure. */
  read(document: OcrDocument, asker: OcrAsker): Promise<OcrText>;
}

/** Whose fault it is that a document was not read. */
export class OcrFailure extends Error {
  override readonly name = 'OcrFailure';
  readonly fault: 'document' | 'engine';

  constructor(fault: OcrFailure['fault'], message: string) {
    super(message);
    this.fault = fault;
  }
}
