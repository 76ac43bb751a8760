// node serve.mjs FILE.gguf NAME PORT THREADS: serves a GGUF file as an OpenAI-compatible API on
// loopback, with node-llama-cpp: chat completions (plain and streamed, JSON Schema), /v1/models and
// /props.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { getLlama, LlamaChat, resolveChatWrapper } from 'node-llama-cpp';

const [file, name, port, threads] = process.argv.slice(2);
const SLOTS = 3;
const CONTEXT = 8192;
const THREADS = Number(threads);

const llama = await getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  progressLogs: false,
  maxThreads: THREADS,
});
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({
  contextSize: CONTEXT,
  sequences: SLOTS,
  threads: THREADS,
});
const wrapper = resolveChatWrapper(model, { type: 'auto' });

const free = Array.from({ length: SLOTS }, () => context.getSequence());
const waiting = [];
const take = () => (free.length > 0 ? free.pop() : new Promise((resolve) => waiting.push(resolve)));
const give = (sequence) => (waiting.shift() ?? ((one) => free.push(one)))(sequence);

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');

const toHistory = (messages) => [
  ...messages.map(({ role, content }) => {
    if (role === 'assistant') return { type: 'model', response: [textOf(content)] };
    return { type: role === 'user' ? 'user' : 'system', text: textOf(content) };
  }),
  { type: 'model', response: [] },
];

const toGrammar = (format) => {
  if (format?.type === 'json_schema') {
    return llama.createGrammarForJsonSchema(format.json_schema.schema);
  }
  return format?.type === 'json_object' ? llama.getGrammarFor('json') : undefined;
};

const refuse = (message, more) =>
  Object.assign(new Error(message), {
    status: 400,
    more: { type: 'invalid_request_error', ...more },
  });

const complete = async (body, signal, onText) => {
  const history = toHistory(body.messages);
  const { contextText } = wrapper.generateContextState({ chatHistory: history });
  const prompt = contextText.tokenize(model.tokenizer).length;
  const limit = CONTEXT - prompt;
  if (limit < 16) throw refuse('The request exceeds the context.', { n_ctx: CONTEXT });
  const grammar = await Promise.resolve(toGrammar(body.response_format)).catch((error) => {
    throw refuse(`The JSON Schema cannot be used: ${error.message}`);
  });
  const sequence = await take();
  let tokens = 0;
  const options = { contextSequence: sequence, chatWrapper: wrapper, autoDisposeSequence: false };
  const chat = new LlamaChat(options);
  try {
    const { response, metadata } = await chat.generateResponse(history, {
      signal,
      stopOnAbortSignal: true,
      maxTokens: Math.min(limit, body.max_tokens ?? body.max_completion_tokens ?? limit),
      temperature: body.temperature ?? 0.7,
      customStopTriggers: [body.stop ?? []].flat(),
      ...(grammar ? { grammar } : {}),
      onToken: (added) => (tokens += added.length),
      onTextChunk: onText,
    });
    const finish = metadata.stopReason === 'maxTokens' ? 'length' : 'stop';
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: tokens,
      total_tokens: prompt + tokens,
    };
    return { text: response, finish, usage };
  } finally {
    chat.dispose({ disposeSequence: false });
    give(sequence);
  }
};

const send = (response, status, value) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const handleChat = async (body, response) => {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: name,
  };
  if (!body.stream) {
    const { text, finish, usage } = await complete(body, gone.signal);
    const message = { role: 'assistant', content: text };
    const choices = [{ index: 0, message, finish_reason: finish, logprobs: null }];
    return send(response, 200, { ...head, object: 'chat.completion', choices, usage });
  }
  const write = (choices, more = {}) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = { ...head, object: 'chat.completion.chunk', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const onText = (content) => write([{ index: 0, delta: { content }, finish_reason: null }]);
  const { finish, usage } = await complete(body, gone.signal, onText);
  write([{ index: 0, delta: {}, finish_reason: finish }]);
  if (body.stream_options?.include_usage) write([], { usage });
  response.end('data: [DONE]\n\n');
};

const handle = async (request, response) => {
  const [path] = request.url.split('?');
  if (path === '/props') {
    return send(response, 200, { default_generation_settings: { n_ctx: CONTEXT } });
  }
  if (path === '/v1/models') {
    return send(response, 200, { object: 'list', data: [{ id: name, object: 'model' }] });
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (path !== '/v1/chat/completions') {
    return send(response, 404, { error: { message: 'There is no such path.' } });
  }
  return handleChat(JSON.parse(Buffer.concat(chunks).toString()), response);
};

createServer((request, response) => {
  handle(request, response).catch((error) => {
    if (response.headersSent) return response.destroy();
    const { status = 500, more = { type: 'server_error' } } = error;
    send(response, status, { error: { message: String(error.message), code: status, ...more } });
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGTERM', () => process.exit(0));
