import { IconButton } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';

type RowMenuProps = { name: string; onEdit: () => void; onDelete: () => void };

/** What can be done with one row of a table. */
export const RowMenu = ({ name, onEdit, onDelete }: RowMenuProps) => (
  <Menu
    label={`Actions of ${name}`}
    trigger={<IconButton icon="more" label={`Actions of ${name}`} />}
    actions={[
      { id: 'edit', label: 'Change', icon: 'settings', onAction: onEdit },
      { id: 'delete', label: 'Remove', icon: 'close', isDestructive: true, onAction: onDelete },
    ]}
  />
);
