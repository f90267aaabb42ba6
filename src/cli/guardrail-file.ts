import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { ContentScanner } from '../guardrails/content-scanner.ts';
import { EntityScanner } from '../guardrails/entity-scanner.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import type { GuardrailInput, GuardrailSurroundings } from '../operations/guardrails/save-guardrail.ts';
import { GuardrailFile } from '../schema/guardrail-body.ts';
import { createReader } from '../schema/reader.ts';
import { isObject, parseJson } from '../util/json.ts';
import { CommandFailure } from './command-failure.ts';

const check = createReader(GuardrailFile);

/** Reads a guardrail as `POST /guardrails` takes it. @throws CommandFailure; HeadgateError naming a wrong member. */
export function readGuardrailFile(file: string): GuardrailInput {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new CommandFailure(`--file: ${file} cannot be read`);
  }
  const written = parseJson(text);
  if (!isObject(written)) throw new CommandFailure(`--file: ${file} holds no JSON object`);
  const { name, description, ...rules } = check(written, '');
  return { name, description, rules };
}

/** What guardrails are checked against on the command line. The processes of the scanner end with this one. */
export function surroundingsFrom(config: Config): GuardrailSurroundings {
  return {
    catalogue: config.catalogue,
    file: config.guardrails,
    hasAnalyzer: config.entityAnalyzer !== undefined,
    scanner: new EntityScanner(() => config.entityAnalyzer, new ContentScanner(new IsolatedProcesses())),
  };
}
