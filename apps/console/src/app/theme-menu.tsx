import { IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { setTheme, THEMES, useTheme } from './theme.ts';

const LABELS = { system: 'Like the system', light: 'Light', dark: 'Dark' } as const;

export const ThemeMenu = () => {
  const theme = useTheme();
  return (
    <Menu
      label="Theme"
      trigger={<IconButton icon={theme} label={`Theme: ${LABELS[theme]}`} />}
      selected={[theme]}
      actions={THEMES.map((id) => ({
        id,
        label: LABELS[id],
        icon: id,
        onAction: () => setTheme(id),
      }))}
    />
  );
};
