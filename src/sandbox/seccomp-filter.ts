import { deniedCalls, newestCall, specialCalls } from './denied-calls.ts';

const architectures = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
} as const;

const load = 0x20;
const equals = 0x15;
const above = 0x25;
const hasBits = 0x45;
const end = 0x06;

const allow = 0x7fff0000;
const kill = 0x80000000;
const notPermitted = 0x00050001;
const notThere = 0x00050026;

/** Where the filter's input has what it looks at. */
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number) => 16 + 8 * index;

/** Flags of `clone` that make namespaces. */
const namespaceFlags = 0x7e020080;
/** Local sockets, and those of the internet, which has no interface in there. */
const families = [1, 2, 10];
/** Terminal calls that write into other terminals. */
const terminalWrites = [0x5412, 0x541c];

type Instruction = readonly [code: number, onTrue: number, onFalse: number, value: number];

/** Whether there is a filter for a processor, by Node's name of it. */
export function hasFilter(architecture: string): architecture is keyof typeof architectures {
  return Object.hasOwn(architectures, architecture);
}

/**
 * The filter of system calls for a container as the kernel reads it (docs/spec/sandbox.md#bubblewrap): what reaches beyond a
 * process or into the kernel is refused, what the filter does not know is not there.
 */
export function seccompFilter(architecture: keyof typeof architectures): Buffer {
  const { audit, column } = architectures[architecture];
  const { clone, clone3, socket, ioctl } = specialCalls;
  const program: Instruction[] = [
    [load, 0, 0, architectureAt],
    [equals, 1, 0, audit],
    [end, 0, 0, kill],
    [load, 0, 0, numberAt],
    // Calls of the 32-bit table have numbers far above all others.
    [above, 0, 1, newestCall],
    [end, 0, 0, notThere],
    ...when(clone3[column], [[end, 0, 0, notThere]]),
    ...Object.values(deniedCalls).flatMap((numbers) => {
      const number = numbers[column];
      return number === undefined ? [] : when(number, [[end, 0, 0, notPermitted]]);
    }),
    ...when(clone[column], [
      [load, 0, 0, argumentAt(0)],
      [hasBits, 0, 1, namespaceFlags],
      [end, 0, 0, notPermitted],
      [end, 0, 0, allow],
    ]),
    ...when(socket[column], [
      [load, 0, 0, argumentAt(0)],
      ...families.flatMap((family): Instruction[] => [
        [equals, 0, 1, family],
        [end, 0, 0, allow],
      ]),
      [end, 0, 0, notPermitted],
    ]),
    ...when(ioctl[column], [
      [load, 0, 0, argumentAt(1)],
      ...terminalWrites.flatMap((request): Instruction[] => [
        [equals, 0, 1, request],
        [end, 0, 0, notPermitted],
      ]),
      [end, 0, 0, allow],
    ]),
    [end, 0, 0, allow],
  ];
  return assemble(program);
}

/** What happens at one call; the block ends by itself. */
function when(number: number, block: readonly Instruction[]): readonly Instruction[] {
  return [[equals, 0, block.length, number], ...block];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, onTrue, onFalse, value]] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(onTrue, at + 2);
    bytes.writeUInt8(onFalse, at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}
