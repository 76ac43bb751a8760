import { invalidRequest, isServiceError } from '@witan/contracts';
import { isAddressLike, readModelAddress } from '@witan/dialects';
import type { Target } from '../provider/provider.ts';
import type { ModelSettings } from '../provider/workspace-models.ts';

const ALIASES_MAX = 200;
const TARGETS_MAX = 10;
const NAME_LENGTH_MAX = 256;
const WEIGHT_MAX = 1_000;

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

type LocatedTarget = { target: Target; path: string };

/**
 * Validates settings against their limits and the workspace's providers. Throws INVALID_REQUEST
 * whose `param` is the path in the public body.
 */
export const checkSettings = (settings: ModelSettings, providers: ReadonlySet<string>): void => {
  if (settings.aliases.size > ALIASES_MAX) {
    throw invalidRequest(`There may be at most ${ALIASES_MAX} aliases.`, { param: 'aliases' });
  }
  for (const [name, targets] of settings.aliases) {
    const path = `aliases.${name}`;
    checkAliasName(name, path);
    if (targets.length === 0) throw refuse(`${path}.targets`, 'an alias needs a target.');
    checkTargets(targets, `${path}.targets`);
  }
  checkTargets(settings.full, 'router.full.targets');
  checkTargets(settings.cheap, 'router.cheap.targets');
  for (const { target, path } of locateTargets(settings)) {
    if (providers.has(target.provider)) continue;
    throw refuse(`${path}.provider`, `there is no provider "${target.provider}".`);
  }
};

export const locateTargets = ({ aliases, full, cheap }: ModelSettings): LocatedTarget[] => {
  const path = (list: string, targets: readonly Target[]): LocatedTarget[] =>
    targets.map((target, index) => ({ target, path: `${list}.targets[${index}]` }));
  return [
    ...[...aliases].flatMap(([name, targets]) => path(`aliases.${name}`, targets)),
    ...path('router.full', full),
    ...path('router.cheap', cheap),
  ];
};

const checkAliasName = (name: string, path: string): void => {
  // The error's path is only `aliases`, so that it does not repeat the invalid name.
  checkText(name, 'aliases', 'the name of an alias');
  if (isPlainName(name)) return;
  throw refuse(
    path,
    'names that begin with service, agent: or debate:, or hold a +, are addresses of the ' +
      'service; choose another.',
  );
};

const isPlainName = (name: string): boolean => {
  try {
    const { kind, name: read } = readModelAddress(name);
    return kind === 'model' && read === name;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
};

const checkTargets = (targets: readonly Target[], path: string): void => {
  if (targets.length > TARGETS_MAX) {
    throw refuse(path, `there may be at most ${TARGETS_MAX} targets.`);
  }
  const seen = new Set<string>();
  for (const [index, { provider, model, weight }] of targets.entries()) {
    const itemPath = `${path}[${index}]`;
    checkText(model, `${itemPath}.model`, 'the name of a model');
    if (isAddressLike(model)) {
      throw refuse(
        `${itemPath}.model`,
        'a target names a model of its provider. service-... addresses, +sensitive and ' +
          '+knowledge have no effect here; give them in the "model" of a call.',
      );
    }
    if (!Number.isInteger(weight) || weight < 0 || weight > WEIGHT_MAX) {
      throw refuse(`${itemPath}.weight`, `must be a whole number from 0 to ${WEIGHT_MAX}.`);
    }
    const key = JSON.stringify([provider, model]);
    if (seen.has(key))
      throw refuse(itemPath, 'stands in this list already; give each target once.');
    seen.add(key);
  }
};

const checkText = (text: string, path: string, subject: string): void => {
  const isValid = text.isWellFormed() && !INVISIBLE.test(text);
  const { length } = [...text];
  if (isValid && length > 0 && length <= NAME_LENGTH_MAX) return;
  throw refuse(
    path,
    `${subject} is 1 to ${NAME_LENGTH_MAX} characters long and holds no control characters.`,
  );
};

const refuse = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
