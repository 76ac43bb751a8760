import type { OpenapiOperation, OpenapiParameter } from './to-openapi.ts';

type Call = { method: string; path: string; operation: OpenapiOperation };

export const toCurl = ({ method, path, operation }: Call): string => {
  const { parameters, requestBody, security } = operation;
  const resolvedPath = path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    encodeURIComponent(exampleOf(parameters, 'path', name) ?? all).replaceAll('%3A', ':'),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example!)}`)
    .join('&');
  const body = requestBody?.content['application/json']?.example;
  const isPlain = method === 'get' || (method === 'post' && body !== undefined);
  const address = `$WITAN${resolvedPath}${query && `?${query}`}`;
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
  location: OpenapiParameter['in'],
  name: string,
): string | number | undefined =>
  parameters.find((parameter) => parameter.in === location && parameter.name === name)?.example;

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
