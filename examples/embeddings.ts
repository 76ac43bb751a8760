import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.env.WITAN}/v1`, apiKey: process.env.KEY });
const { data, response } = await client.embeddings
  .create({ model: 'service-auto', input: ['The harbour opens at nine.', 'Ann Lee has the keys.'] })
  .withResponse();

console.log(data.data.map(({ embedding }) => embedding.length));
console.log(response.headers.get('x-service-proof'), response.headers.get('x-service-provider'));
