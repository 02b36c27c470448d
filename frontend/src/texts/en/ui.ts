export const ui = {
  header: { language: 'Language', timeZone: 'Time zone' },
};
