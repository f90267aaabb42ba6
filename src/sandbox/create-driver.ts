import { BubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import { EngineDriver } from './engine/engine-driver.ts';
import { HttpDriver } from './http/http-driver.ts';
import type { SandboxDriver } from './sandbox-driver.ts';
import type { SandboxSettings } from './sandbox-settings.ts';

/** The driver that the settings name; undefined when it is off. */
export function createDriver(settings: SandboxSettings): SandboxDriver | undefined {
  const { driver, image = '', runtime, url = '', apiKey, limits } = settings;
  switch (driver) {
    case 'bubblewrap':
      return new BubblewrapDriver(() => settings);
    case 'podman':
    case 'docker':
      return new EngineDriver({ engine: driver, image, runtime, limits });
    case 'http':
      return new HttpDriver({ url, apiKey, limits });
    case 'off':
      return undefined;
  }
}
