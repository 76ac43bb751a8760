import { invalidRequest, isServiceError } from '@witan/contracts';
import { isAddressLike, readModelAddress } from '@witan/dialects';
import type { Target } from '../route/target.ts';
import type { ModelSettings } from './workspace-models.ts';

const ALIASES_MAX = 200;
const TARGETS_MAX = 10;
const NAME_LENGTH_MAX = 256;
const WEIGHT_MAX = 1_000;

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A target and where it stands in the public body: `aliases.fast.targets[1]`. */
export type PlacedTarget = { target: Target; place: string };

/**
 * Checks settings against their limits and the providers that the workspace may use. Throws
 * INVALID_REQUEST whose `param` names the place in the public body.
 */
export const checkSettings = (settings: ModelSettings, providers: ReadonlySet<string>): void => {
  if (settings.aliases.size > ALIASES_MAX) {
    throw invalidRequest(`There may be at most ${ALIASES_MAX} aliases.`, { param: 'aliases' });
  }
  for (const [name, targets] of settings.aliases) {
    const place = `aliases.${name}`;
    checkAliasName(name, place);
    if (targets.length === 0) throw refuse(`${place}.targets`, 'an alias needs a target.');
    checkTargets(targets, `${place}.targets`);
  }
  checkTargets(settings.full, 'router.full.targets');
  checkTargets(settings.cheap, 'router.cheap.targets');
  for (const { target, place } of placeTargets(settings)) {
    if (providers.has(target.provider)) continue;
    throw refuse(`${place}.provider`, `there is no provider "${target.provider}".`);
  }
};

/** Every target of the settings with its place. */
export const placeTargets = ({ aliases, full, cheap }: ModelSettings): PlacedTarget[] => {
  const place = (list: string, targets: readonly Target[]): PlacedTarget[] =>
    targets.map((target, index) => ({ target, place: `${list}.targets[${index}]` }));
  return [
    ...[...aliases].flatMap(([name, targets]) => place(`aliases.${name}`, targets)),
    ...place('router.full', full),
    ...place('router.cheap', cheap),
  ];
};

const checkAliasName = (name: string, place: string): void => {
  // A name that is no name is not repeated in the error.
  checkText(name, 'aliases', 'the name of an alias');
  if (isPlainName(name)) return;
  throw refuse(
    place,
    'names that begin with service, agent: or debate:, or hold a +, are addresses of the ' +
      'service; choose another.',
  );
};

/** Whether an address of this text is the name of a model, and nothing besides. */
const isPlainName = (name: string): boolean => {
  try {
    const { kind, name: read } = readModelAddress(name);
    return kind === 'model' && read === name;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
};

const checkTargets = (targets: readonly Target[], place: string): void => {
  if (targets.length > TARGETS_MAX) {
    throw refuse(place, `there may be at most ${TARGETS_MAX} targets.`);
  }
  const seen = new Set<string>();
  for (const [index, { provider, model, weight }] of targets.entries()) {
    const here = `${place}[${index}]`;
    checkText(model, `${here}.model`, 'the name of a model');
    if (isAddressLike(model)) {
      throw refuse(
        `${here}.model`,
        'a target names a model of its provider. service-... addresses, +sensitive and ' +
          '+knowledge have no effect here; give them in the "model" of a call.',
      );
    }
    if (!Number.isInteger(weight) || weight < 0 || weight > WEIGHT_MAX) {
      throw refuse(`${here}.weight`, `must be a whole number from 0 to ${WEIGHT_MAX}.`);
    }
    const key = JSON.stringify([provider, model]);
    if (seen.has(key)) throw refuse(here, 'stands in this list already; give each target once.');
    seen.add(key);
  }
};

const checkText = (text: string, place: string, what: string): void => {
  const isSound = text.isWellFormed() && !INVISIBLE.test(text);
  const { length } = [...text];
  if (isSound && length > 0 && length <= NAME_LENGTH_MAX) return;
  throw refuse(
    place,
    `${what} is 1 to ${NAME_LENGTH_MAX} characters long and holds no control characters.`,
  );
};

const refuse = (param: string, fault: string): Error =>
  invalidRequest(`${param}: ${fault}`, { param });
