import type { OpenapiOperation, OpenapiParameter } from '../http/to-openapi.ts';

type Call = { method: string; path: string; operation: OpenapiOperation };

/** A call of the operation as a shell makes it; `$WITAN` is the address and `$KEY` the key. */
export const toCurl = ({ method, path, operation }: Call): string => {
  const { parameters, requestBody, security } = operation;
  const place = path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    encodeURIComponent(exampleOf(parameters, 'path', name) ?? all).replaceAll('%3A', ':'),
  );
  const query = parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example!)}`)
    .join('&');
  const body = requestBody?.content['application/json']?.example;
  const isPlain = method === 'get' || (method === 'post' && body !== undefined);
  const address = `$WITAN${place}${query && `?${query}`}`;
  return [
    `curl ${isPlain ? '' : `-X ${method.toUpperCase()} `}"${address}"`,
    ...(security?.length === 0 ? [] : ['-H "x-api-key: $KEY"']),
    ...(body === undefined
      ? []
      : ['-H "content-type: application/json"', `-d ${quote(JSON.stringify(body, undefined, 2))}`]),
  ].join(' \\\n  ');
};

const exampleOf = (
  parameters: readonly OpenapiParameter[],
  place: OpenapiParameter['in'],
  name: string,
): string | number | undefined =>
  parameters.find((one) => one.in === place && one.name === name)?.example;

/** One word of a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
