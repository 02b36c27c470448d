// The text of calendar files (RFC 5545).

export interface CalendarEntry {
  id: string;
  start: number;
  end: number;
  summary: string;
  description: string;
}

const stamp = (instant: number) => new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '');
const escape = (text: string) =>
  text.replace(/\\/g, '\\\\').replace(/([,;])/g, '\\$1').replace(/\r?\n/g, '\\n');

/** Lines of at most 75 bytes; what is longer goes on after a line break and a space. */
function fold(line: string): string {
  const encoder = new TextEncoder();
  let [folded, bytes] = ['', 0];
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (bytes + size > 75) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return folded;
}

/** The text of a file with these entries, made at an instant. */
export function calendar(entries: CalendarEntry[], made: number): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Wattbook//Reservations//EN'];
  for (const entry of entries) {
    lines.push(
      'BEGIN:VEVENT',
      `UID:${entry.id}@wattbook`,
      `DTSTAMP:${stamp(made)}`,
      `DTSTART:${stamp(entry.start)}`,
      `DTEND:${stamp(entry.end)}`,
      `SUMMARY:${escape(entry.summary)}`,
      `DESCRIPTION:${escape(entry.description)}`,
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      `DESCRIPTION:${escape(entry.summary)}`,
      'END:VALARM',
      'END:VEVENT',
    );
  }
  lines.push('END:VCALENDAR');
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}
