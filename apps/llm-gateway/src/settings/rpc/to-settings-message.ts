import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ModelSettings as SettingsMessage, ModelSettingsSchema } from '@witan/contracts';
import type { PrivacyInput } from '../../masking/check-privacy.ts';
import type { Target } from '../../provider/target.ts';
import type { ModelSettings } from '../../provider/workspace-models.ts';
import type { SettingsChange } from '../workspace-settings.ts';

export const toSettingsMessage = ({
  aliases,
  full,
  cheap,
  privacy,
}: ModelSettings): MessageInitShape<typeof ModelSettingsSchema> => ({
  aliases: Object.fromEntries(
    [...aliases].map(([name, targets]) => [name, { targets: [...targets] }]),
  ),
  full: { targets: [...full] },
  cheap: { targets: [...cheap] },
  privacy: {
    categories: { names: [...privacy.categories] },
    terms: [...privacy.terms],
    patterns: [...privacy.patterns],
  },
});

/**
 * Returns all settings of a message; absent lists become empty, except for the categories, which
 * stay undefined.
 */
export const fromSettingsMessage = (
  message: SettingsMessage | undefined,
): Required<SettingsChange> => ({
  aliases: new Map(
    Object.entries(message?.aliases ?? {}).map(([name, list]) => [name, toTargets(list)]),
  ),
  full: toTargets(message?.full),
  cheap: toTargets(message?.cheap),
  privacy: toPrivacyInput(message?.privacy),
});

const toTargets = (list: SettingsMessage['full']): Target[] =>
  (list?.targets ?? []).map(({ provider, model, weight }) => ({ provider, model, weight }));

const toPrivacyInput = (privacy: SettingsMessage['privacy']): PrivacyInput => ({
  categories: privacy?.categories?.names,
  terms: (privacy?.terms ?? []).map(({ text, category }) => ({ text, category })),
  patterns: (privacy?.patterns ?? []).map(({ pattern, category }) => ({ pattern, category })),
});
