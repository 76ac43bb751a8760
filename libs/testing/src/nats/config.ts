export const readTestPath = (): string => process.env['PATH'] ?? '';
