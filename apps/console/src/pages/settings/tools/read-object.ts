/** Returns the JSON object of a text. Throws with what is wrong, for the user. */
export const readObject = (text: string, name: string): object => {
  const value = parse(text, name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${name}: enter a JSON object, such as {"city": "Paris"}.`);
};

const parse = (text: string, name: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
};
