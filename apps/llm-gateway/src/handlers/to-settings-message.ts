import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ModelSettings as SettingsMessage, ModelSettingsSchema } from '@witan/contracts';
import type { Target } from '../domain/route/target.ts';
import type { ModelSettings } from '../domain/settings/workspace-models.ts';

/** The message form of settings. */
export const toSettingsMessage = ({
  aliases,
  full,
  cheap,
}: ModelSettings): MessageInitShape<typeof ModelSettingsSchema> => ({
  aliases: Object.fromEntries(
    [...aliases].map(([name, targets]) => [name, { targets: [...targets] }]),
  ),
  full: { targets: [...full] },
  cheap: { targets: [...cheap] },
});

/** The settings of a message; an absent list is empty. */
export const fromSettingsMessage = (message: SettingsMessage | undefined): ModelSettings => ({
  aliases: new Map(
    Object.entries(message?.aliases ?? {}).map(([name, list]) => [name, toTargets(list)]),
  ),
  full: toTargets(message?.full),
  cheap: toTargets(message?.cheap),
});

const toTargets = (list: SettingsMessage['full']): Target[] =>
  (list?.targets ?? []).map(({ provider, model, weight }) => ({ provider, model, weight }));
