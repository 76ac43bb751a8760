/** Name of the environment variable that holds the API key in copied code, which has no key. */
export const KEY_VARIABLE = 'WITAN_API_KEY';

export type SnippetCall = {
  /** Origin of the server, such as `http://127.0.0.1:8080`. */
  baseUrl: string;
  body: Readonly<Record<string, unknown>>;
};

/** Returns a program that makes the call and prints the answer. */
export type Snippet = (call: SnippetCall) => string;

export const chatTypescript: Snippet = ({ baseUrl, body }) =>
  typescript({
    module: 'openai',
    client: 'OpenAI',
    options: { baseURL: `${baseUrl}/v1` },
    method: 'chat.completions.create',
    body,
    print: 'console.log(answer.choices[0]?.message.content);',
    printPart: "process.stdout.write(part.choices[0]?.delta.content ?? '');",
  });

export const messagesTypescript: Snippet = ({ baseUrl, body }) =>
  typescript({
    module: '@anthropic-ai/sdk',
    client: 'Anthropic',
    options: { baseURL: baseUrl },
    method: 'messages.create',
    body,
    print: "console.log(answer.content.map((one) => ('text' in one ? one.text : '')).join(''));",
    printPart:
      "if (part.type === 'content_block_delta' && part.delta.type === 'text_delta')\n" +
      '    process.stdout.write(part.delta.text);',
  });

export const responsesTypescript: Snippet = ({ baseUrl, body }) =>
  typescript({
    module: 'openai',
    client: 'OpenAI',
    options: { baseURL: `${baseUrl}/v1` },
    method: 'responses.create',
    body,
    print: 'console.log(answer.output_text);',
    printPart:
      "if (part.type === 'response.output_text.delta')\n    process.stdout.write(part.delta);",
  });

export const chatPython: Snippet = ({ baseUrl, body }) =>
  python({
    module: 'openai',
    client: 'OpenAI',
    url: `${baseUrl}/v1`,
    method: 'chat.completions.create',
    body,
    print: 'print(answer.choices[0].message.content)',
    printPart: 'if part.choices:\n        print(part.choices[0].delta.content or "", end="")',
  });

export const messagesPython: Snippet = ({ baseUrl, body }) =>
  python({
    module: 'anthropic',
    client: 'Anthropic',
    url: baseUrl,
    method: 'messages.create',
    body,
    print: 'print("".join(getattr(block, "text", "") for block in answer.content))',
    printPart: 'if part.type == "content_block_delta":\n        print(part.delta.text, end="")',
  });

export const responsesPython: Snippet = ({ baseUrl, body }) =>
  python({
    module: 'openai',
    client: 'OpenAI',
    url: `${baseUrl}/v1`,
    method: 'responses.create',
    body,
    print: 'print(answer.output_text)',
    printPart: 'if part.type == "response.output_text.delta":\n        print(part.delta, end="")',
  });

type Program = {
  module: string;
  client: string;
  method: string;
  body: SnippetCall['body'];
  /** Statement that prints a plain answer, and the one that prints a part of a streamed one. */
  print: string;
  printPart: string;
};

const typescript = (program: Program & { options: { baseURL: string } }): string => {
  const { module, client, options, method, body, print, printPart } = program;
  const name = body.stream === true ? 'parts' : 'answer';
  const use = body.stream === true ? `for await (const part of parts) {\n  ${printPart}\n}` : print;
  return [
    `import ${client} from '${module}';`,
    '',
    `const client = new ${client}({`,
    `  baseURL: ${JSON.stringify(options.baseURL)},`,
    `  apiKey: process.env.${KEY_VARIABLE},`,
    '});',
    `const ${name} = await client.${method}(${JSON.stringify(body, undefined, 2)});`,
    use,
    '',
  ].join('\n');
};

const python = (program: Program & { url: string }): string => {
  const { module, client, url, method, body, print, printPart } = program;
  const name = body.stream === true ? 'parts' : 'answer';
  const use = body.stream === true ? `for part in parts:\n    ${printPart}` : print;
  const members = Object.entries(body).map(([key, value]) => `    ${key}=${toPython(value, 4)},`);
  return [
    'import os',
    '',
    `from ${module} import ${client}`,
    '',
    `client = ${client}(base_url=${toPython(url)}, api_key=os.environ["${KEY_VARIABLE}"])`,
    `${name} = client.${method}(`,
    ...members,
    ')',
    use,
    '',
  ].join('\n');
};

/** Returns a JSON value as a Python expression; `indent` is that of its first line, in spaces. */
export const toPython = (value: unknown, indent = 0): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  // Every JSON text of a string is a string of Python, too, except for its pairs of surrogates.
  if (typeof value === 'string') return pythonString(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = ' '.repeat(indent + 4);
  const items = Array.isArray(value)
    ? value.map((item) => toPython(item, indent + 4))
    : Object.entries(value).map(
        ([key, item]) => `${pythonString(key)}: ${toPython(item, indent + 4)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return `${open}${close}`;
  const lines = items.map((item) => `${inner}${item},\n`).join('');
  return `${open}\n${lines}${' '.repeat(indent)}${close}`;
};

/** `JSON.stringify` escapes lone surrogates only, which Python reads likewise. */
const pythonString = (text: string): string => JSON.stringify(text);
