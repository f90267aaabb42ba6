/** What one container may take. Bytes; a driver that cannot enforce one of them is refused. */
export interface SandboxLimits {
  /** Of each process; the sum over all is watched. */
  readonly memory: number;
  /** Of files. */
  readonly disk: number;
  readonly processes: number;
}

/** How one command ended, and what it wrote. */
export interface CommandOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined when its time was up. */
  readonly exitCode: number | undefined;
}

/** What bounds one command. */
export interface CommandBounds {
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes that are kept of each stream. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

/** A place in which commands run one after the other. Files stay, processes end with their command. */
export interface SandboxContainer {
  /** Runs a command with bash. @throws Error when the container is gone, or the signal is aborted. */
  exec(command: string, bounds: CommandBounds): Promise<CommandOutcome>;
  /** Whether it can still run commands. */
  readonly isAlive: boolean;
  /** Ends it with all it holds; never fails. */
  destroy(): Promise<void>;
}

/** Makes containers (docs/spec/sandbox.md#drivers). */
export interface SandboxDriver {
  readonly name: string;
  /** @throws Error when none can be made. */
  create(): Promise<SandboxContainer>;
  /** Ends containers whose process was killed, where they can live on. @throws Error when the engine cannot be asked. */
  endLeftBehind?(): Promise<void>;
  /** Makes a container and looks from inside whether its limits hold. Never fails. */
  probe(): Promise<SandboxReport>;
}

/** What a probe found. */
export interface SandboxReport {
  /** What keeps the driver from being used, each with what to do. */
  readonly problems: readonly string[];
  /** The limits that hold, for people. */
  readonly holds: readonly string[];
}
