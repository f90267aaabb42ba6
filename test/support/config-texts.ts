import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Environment } from '../../src/util/environment.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Loads configurations from texts, each as a file of its own in one folder. */
export class ConfigTexts {
  readonly folder = temporaryFolder();
  #files = 0;

  /** The name of the file loaded last. */
  get file(): string {
    return `case-${this.#files}.yaml`;
  }

  async load(text: string, environment: Environment = {}, flags = {}) {
    this.#files += 1;
    const { file, folder } = this;
    await writeFile(join(folder, file), text);
    return loadConfig({ file, environment, directory: folder, flags });
  }

  /** The lines of the error, the file's name shortened to `f`. */
  async mistakes(text: string, environment: Environment = {}): Promise<readonly string[]> {
    try {
      await this.load(text, environment);
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      assert.equal(error.message.split('\n').length, error.problems.length);
      return error.message.split('\n').map((line) => line.replaceAll(this.file, 'f'));
    }
    assert.fail('the configuration was accepted');
  }
}
