import { invalidRequest, isServiceError } from '@witan/contracts';
import { isAddressLike, readModelAddress } from '@witan/dialects';
import { checkVisible } from '../masking/privacy-settings.ts';
import type { Target } from '../provider/provider.ts';
import type { ModelSettings } from '../provider/workspace-models.ts';

type LocatedTarget = { target: Target; path: string };

/**
 * Validates settings against the workspace's providers. The api-gateway has validated the number of
 * entries, lengths and weights. Throws INVALID_REQUEST whose `param` is the path in the public
 * body.
 */
export const checkSettings = (settings: ModelSettings, providers: ReadonlySet<string>): void => {
  for (const [name, targets] of settings.aliases) {
    checkAliasName(name);
    checkTargets(targets, `aliases.${name}.targets`);
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

const checkAliasName = (name: string): void => {
  // The error's path is only `aliases`, so that it does not repeat the invalid name.
  checkVisible(name, 'aliases', 'the name of an alias');
  if (isPlainName(name)) return;
  throw refuse(
    `aliases.${name}`,
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
  const seen = new Set<string>();
  for (const [index, { provider, model }] of targets.entries()) {
    const itemPath = `${path}[${index}]`;
    checkVisible(model, `${itemPath}.model`, 'the name of a model');
    if (isAddressLike(model)) {
      throw refuse(
        `${itemPath}.model`,
        'a target names a model of its provider. service-... addresses, +sensitive and ' +
          '+knowledge have no effect here; give them in the "model" of a call.',
      );
    }
    const key = JSON.stringify([provider, model]);
    if (seen.has(key)) {
      throw refuse(itemPath, 'stands in this list already; give each target once.');
    }
    seen.add(key);
  }
};

const refuse = (param: string, problem: string): Error =>
  invalidRequest(`${param}: ${problem}`, { param });
