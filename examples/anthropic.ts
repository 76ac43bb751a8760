import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: process.env.WITAN, apiKey: process.env.KEY });
const stream = client.messages.stream({
  model: 'agent:sceptic',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Double our prices?' }],
});

for await (const event of stream) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
    process.stdout.write(event.delta.text);
  }
}
