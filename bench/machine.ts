import { statfsSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { canPin, gatewayCore, loadCore } from './processes.ts';

/** The machine of a run: figures of different machines must not be compared. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
  readonly kernel: string;
  readonly pinning: string;
  /** The file system of the gateway's database. */
  readonly dataFileSystem: string;
}

const fileSystems: Readonly<Record<number, string>> = {
  61267: 'ext4',
  16914836: 'tmpfs (in memory: commits cost nothing here)',
  1481003842: 'xfs',
  2435016766: 'btrfs',
  2035054128: 'overlay',
};

/** Describes the machine and the file system of `dataDirectory`. */
export function describeMachine(dataDirectory: string): Machine {
  const type = statfsSync(dataDirectory).type;
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    kernel: release(),
    pinning: canPin
      ? `gateway on core ${gatewayCore}, upstream and load generator on core ${loadCore}`
      : 'none: taskset is not installed',
    dataFileSystem: fileSystems[type] ?? `type 0x${type.toString(16)}`,
  };
}
