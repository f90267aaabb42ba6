import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { scanEngine } from '../documents/engines/scan-engine.ts';
import { createPdfReader } from '../documents/pdf-reader.ts';
import { EgressGuard } from '../egress/egress-guard.ts';
import { ContentScanner } from '../guardrails/content-scanner.ts';
import { EntityScanner } from '../guardrails/entity-scanner.ts';
import { GuardrailDirectory } from '../guardrails/guardrail-directory.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import type { ApprovalSeal } from '../secrets/approval-seal.ts';
import type { ServerTool } from '../server-tools/server-tool.ts';
import { createFileParser } from '../stages/file-parser/file-parser.ts';
import type { FileParserServices } from '../stages/file-parser/read-file.ts';
import { gatewayStages } from '../stages/gateway-stages.ts';
import { createInputScan } from '../stages/input-scan/input-scan.ts';
import { createModeration } from '../stages/moderation/moderation.ts';
import { inOrder } from '../stages/order.ts';
import { createOwnFiles } from '../stages/own-files/own-files.ts';
import type { Stage } from '../stages/stage.ts';
import { createWebPlugin } from '../stages/web-search/web-plugin.ts';
import { Slots } from '../util/slots.ts';
import { WebSearch } from '../web-search/web-search.ts';
import { createFiles, type FileHolders } from './create-files.ts';
import { createTools, type Isolated, type WebAccess } from './create-tools.ts';

/** What guards requests: the guardrails, what scans texts for them, the stages in their order, and the tools; and the files. */
export function createGuarding(
  current: { readonly config: Config },
  parts: FileHolders & {
    readonly stages?: readonly Stage[];
    readonly tools?: readonly ServerTool[];
    readonly approvalSeal: ApprovalSeal;
    readonly catalogue: () => Catalogue;
  },
) {
  const { stages = [], tools = [], approvalSeal, catalogue } = parts;
  const files = createFiles(current, parts);
  const guardrails = new GuardrailDirectory(() => current.config.guardrails);
  const isolated = createIsolated();
  const scanner = new EntityScanner(() => current.config.entityAnalyzer, new ContentScanner(isolated.quick));
  const web: WebAccess = {
    guard: new EgressGuard(() => current.config.tools.egress),
    search: new WebSearch(() => current.config.tools.webSearch.engines),
    readPdf: createPdfReader(isolated.documents),
    isolated,
  };
  return {
    guardrails,
    scanner,
    files,
    isolated,
    ...createTools(current, web, { tools, approvalSeal, files, catalogue }),
    stages: inOrder([
      ...gatewayStages(isolated.quick),
      createOwnFiles((owner, id) => files.read(owner, id)),
      createInputScan({ guardrails, scanner }),
      createModeration({
        backend: () => current.config.plugins.moderation,
        catalogue: () => current.config.catalogue,
      }),
      createFileParser(fileServices(current, web)),
      createWebPlugin(web.search),
      ...stages,
    ]),
  };
}

const mebi = 1024 * 1024;

/** The child processes that work on what strangers sent (docs/spec/isolation.md). */
function createIsolated(): Isolated {
  return {
    quick: new IsolatedProcesses(),
    documents: new IsolatedProcesses({
      heap: 256 * mebi,
      memory: 400 * mebi,
      stepsBack: true,
      waiting: 64,
      wait: 60_000,
    }),
  };
}

/** Files that are fetched, or are with the engine, at the same time; each may have 25 MiB. */
const filesAtOnce = 8;
const filesWaiting = 256;

/** What files are read with, as the configuration has it at the moment. */
function fileServices(
  current: { readonly config: Config },
  { guard, readPdf, isolated }: WebAccess,
): FileParserServices {
  const settings = () => current.config.plugins.fileParser;
  return {
    guard,
    readPdf,
    slots: new Slots(filesAtOnce, filesWaiting),
    limits: () => settings().limits,
    ocr: () => {
      const { ocr } = settings();
      return ocr && scanEngine(ocr, isolated.documents);
    },
  };
}
