import { BubblewrapDriver } from './bubblewrap/bubblewrap-driver.ts';
import type { SandboxDriver } from './sandbox-driver.ts';
import type { SandboxSettings } from './sandbox-settings.ts';

/** The driver that the settings name; undefined when it is off. */
export function createDriver(settings: SandboxSettings): SandboxDriver | undefined {
  switch (settings.driver) {
    case 'bubblewrap':
      return new BubblewrapDriver(() => settings);
    default:
      return undefined;
  }
}
