import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import keda from '../../schemas/keda.json' with { type: 'json' };
import kubernetes from '../../schemas/kubernetes.json' with { type: 'json' };
import prometheus from '../../schemas/prometheus.json' with { type: 'json' };
import { titleOf } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import type { Rendered } from '../rendered.ts';

/** Checks that every object is of a known kind and is valid by the schema of that kind. */
export const checkSchema = ({ manifests }: Rendered): string[] => manifests.flatMap(checkManifest);

const openValidators = (): ReadonlyMap<string, ValidateFunction> => {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, validateFormats: false });
  const found = new Map<string, ValidateFunction>();
  for (const [index, { kinds, definitions }] of [kubernetes, keda, prometheus].entries()) {
    const id = `schemas-${index}`;
    ajv.addSchema({ $id: id, definitions });
    for (const [kind, definition] of Object.entries(kinds)) {
      found.set(
        kind,
        ajv.compile({ $ref: `${id}#/definitions/${definition.replaceAll('/', '~1')}` }),
      );
    }
  }
  return found;
};

const VALIDATORS = openValidators();

const checkManifest = (manifest: Manifest): string[] => {
  const title = titleOf(manifest);
  const validate = VALIDATORS.get(`${manifest.apiVersion}/${manifest.kind}`);
  if (!validate) return [`${title} is of ${manifest.apiVersion}, which has no schema here.`];
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map((error) => `${title}: ${describe(error)}.`);
};

const describe = ({ instancePath, message, params }: ErrorObject): string => {
  const extra: unknown = params.additionalProperty ?? params.allowedValues ?? '';
  return `${instancePath} ${message ?? ''} ${String(extra)}`.trim();
};
