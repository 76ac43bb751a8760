export { CATEGORIES } from './span.ts';
export type { Category, Span } from './span.ts';
