import { createChecker } from '../../../schema/checker.ts';
import { isObject } from '../../../util/json.ts';
import { byType, choice, integer, list, optional, Type, text } from '../../../util/json-schema.ts';
import { EnvironmentSchema } from './container-environment.ts';
import { hostedTool } from './hosted-tool.ts';

const checkEnvironment = createChecker(EnvironmentSchema);

const ContainerSchema = Type.Object({
  type: choice('auto'),
  file_ids: optional(list(text())),
  memory_limit: optional(choice('1g', '4g', '16g', '64g')),
});

/** Tools a provider runs, or trained its models for, whose settings are plain (docs/spec/tools.md#kinds). */
export const providerTools = {
  computer_use_preview: hostedTool('computer', 'computer_use_preview', {
    display_width: integer({ minimum: 1 }),
    display_height: integer({ minimum: 1 }),
    environment: choice('windows', 'mac', 'linux', 'ubuntu', 'browser'),
  }),
  code_interpreter: hostedTool('code_interpreter', 'code_interpreter', {
    container: byType(text({ minLength: 1 }), ContainerSchema),
  }),
  image_generation: hostedTool('image_generation', 'image_generation', {
    model: optional(text()),
    quality: optional(choice('low', 'medium', 'high', 'auto')),
    size: optional(text()),
    background: optional(choice('transparent', 'opaque', 'auto')),
    output_format: optional(choice('png', 'webp', 'jpeg')),
    output_compression: optional(integer({ minimum: 0, maximum: 100 })),
    partial_images: optional(integer({ minimum: 0 })),
    moderation: optional(choice('auto', 'low')),
    input_fidelity: optional(choice('high', 'low')),
    input_image_mask: optional(Type.Object({ image_url: optional(text()), file_id: optional(text()) })),
  }),
  local_shell: hostedTool('local_shell', 'local_shell', {}),
  shell: hostedTool(
    'shell',
    'shell',
    {},
    {
      check({ environment }, path) {
        if (isObject(environment) && String(environment.type).startsWith('container_'))
          checkEnvironment(environment, `${path}.environment`);
      },
    },
  ),
  apply_patch: hostedTool('apply_patch', 'apply_patch', {}),
} as const;
