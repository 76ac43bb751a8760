/** Outlines on a grid of 20 units, drawn with a stroke of 1.5. */
const PATHS = {
  agents: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5 8c0-3 2.2-5 5-5s5 2 5 5M13.5 9.5a2.5 2.5 0 1 0-1-4.8M14 12c2.4.3 4 2.2 4 5',
  calls: 'M3 5h14M3 10h14M3 15h9M15 13.5l1.5 1.5L19 12.5',
  check: 'm4 10.5 4 4 8-9',
  chevron: 'm7 4 6 6-6 6',
  close: 'm5 5 10 10M15 5 5 15',
  copy: 'M7 7V4.5A1.5 1.5 0 0 1 8.500 3h7A1.500 1.500 0 0 1 17 4.500v7a1.500 1.500 0 0 1-1.500 1.500H13M4.500 7h7A1.500 1.500 0 0 1 13 8.500v7a1.500 1.500 0 0 1-1.500 1.500h-7A1.500 1.500 0 0 1 3 15.500v-7A1.500 1.500 0 0 1 4.500 7Z',
  council: 'M10 3v3M4 7.5l2.500 1.500M16 7.500 13.500 9M5 16l2-2.500M15 16l-2-2.500M10 13a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  dark: 'M16.500 12A7 7 0 0 1 8 3.500 7 7 0 1 0 16.500 12Z',
  download: 'M10 3v10m-4-4 4 4 4-4M4 17h12',
  failed: 'M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15ZM7.500 7.500l5 5m0-5-5 5',
  filter: 'M3 5h14M6 10h8M8.500 15h3',
  info: 'M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15ZM10 9v4.500M10 6.500v.1',
  key: 'M7 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 7-7m-3.500 3.500L16 9',
  light: 'M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100',
  market: 'M3 17h14M5.500 17v-5M10 17V4M14.500 17V8.500',
  menu: 'M3 5.500h14M3 10h14M3 14.500h14',
  more: 'M4.500 10h.1M10 10h.1M15.500 10h.1',
  passed: 'M10 17.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15ZM6.500 10.200l2.500 2.500 4.500-5',
  playground: 'M6 4v12l10-6-10-6Z',
  plus: 'M10 4v12M4 10h12',
  refresh: 'M16 5v4h-4M4 15v-4h4M15.500 9A6 6 0 0 0 5 6.500M4.500 11A6 6 0 0 0 15 13.500',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  shield: 'M10 2.500 16.500 5v4.500c0 4-2.700 6.700-6.500 8-3.800-1.300-6.500-4-6.500-8V5L10 2.500ZM7 10l2.200 2.200L13.200 8',
  simulations: 'M3 16c3 0 3-9 6.500-9M3 16c4 0 6-3 14-3M3 16c4-.500 5-12 14-12',
  system: 'M3 4.500h14v9H3v-9ZM7 17h6M10 13.500V17',
  usage: 'M10 17.500a7.500 7.500 0 1 0-7.500-7.500M10 10l3.500-3.500M4.500 15.500l.1.1',
  user: 'M10 10a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7Zm-6.500 7.500c0-3.500 2.900-5.500 6.500-5.500s6.500 2 6.500 5.500',
  warning: 'M10 3 2.500 16.500h15L10 3Zm0 5v4M10 14.300v.1',
} as const;

export type IconName = keyof typeof PATHS;

/** A decoration; the text beside it, or the label of its button, carries the meaning. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 20 20"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
);
