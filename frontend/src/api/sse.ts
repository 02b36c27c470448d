// Server-sent events from an answer that is read bit by bit: `EventSource` could not say who asks.

/** An event of a stream. */
export interface ServiceEvent {
  /** What happened, such as `reservation.confirmed`. */
  type: string;
  id: string;
  data: string;
}

/** Takes a stream's text however it is cut, and gives the events that are whole. */
export class EventReader {
  private rest = '';
  private type = '';
  private id = '';
  private data: string[] = [];

  push(text: string): ServiceEvent[] {
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    const found: ServiceEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (this.data.length > 0) found.push({ type: this.type || 'message', id: this.id, data: this.data.join('\n') });
        [this.type, this.data] = ['', []];
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
      if (field === 'event') this.type = value;
      else if (field === 'id') this.id = value;
      else if (field === 'data') this.data.push(value);
    }
    return found;
  }
}

/** Reads until the stream ends, or nothing came for so long, heartbeats included. */
export async function readEvents(
  response: Response,
  tell: (event: ServiceEvent) => void,
  silence = 45_000,
): Promise<void> {
  const body = response.body?.getReader();
  if (!body) return;
  const [reader, decoder] = [new EventReader(), new TextDecoder()];
  for (;;) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silent = new Promise<null>((done) => (timer = setTimeout(() => done(null), silence)));
    const part = await Promise.race([body.read(), silent]).finally(() => clearTimeout(timer));
    if (part === null || part.done) {
      void body.cancel().catch(() => undefined);
      return;
    }
    for (const event of reader.push(decoder.decode(part.value, { stream: true }))) tell(event);
  }
}
