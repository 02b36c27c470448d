//! Answers that come packed: zip archives of one file.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::feed::FeedError;

/// How an archive begins that has a file.
pub(crate) const ARCHIVE: &[u8] = b"PK\x03\x04";

/// A file is unpacked up to this size.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// The text of the one file of an archive; the text of what is no archive, such as a page that tells of maintenance.
///
/// # Errors
/// An archive that is broken, or has another number of files; a file that is too long; what is no text.
pub(crate) fn one_file(bytes: Vec<u8>) -> Result<String, FeedError> {
    one_file_up_to(MAX_FILE_BYTES, bytes)
}

fn one_file_up_to(most: u64, bytes: Vec<u8>) -> Result<String, FeedError> {
    let text =
        |bytes| String::from_utf8(bytes).map_err(|error| FeedError::payload("the answer", error));
    if !bytes.starts_with(ARCHIVE) {
        return text(bytes);
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| FeedError::payload("the archive", error))?;
    if archive.len() != 1 {
        let message = format!("has {} files where one was expected", archive.len());
        return Err(FeedError::payload("the archive", message));
    }
    let file = archive.by_index(0).map_err(|error| FeedError::payload("the archive", error))?;
    // What the archive says of the file's size is not believed.
    let mut file = file.take(most + 1);
    let mut unpacked = Vec::new();
    file.read_to_end(&mut unpacked).map_err(|error| FeedError::payload("the archive", error))?;
    if file.limit() == 0 {
        let message = format!("unpacks to more than {most} bytes");
        return Err(FeedError::payload("the archive", message));
    }
    text(unpacked)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn refusal(bytes: Vec<u8>) -> String {
        let error = one_file_up_to(1000, bytes).unwrap_err();
        assert!(matches!(error, FeedError::Payload { .. }), "{error}");
        error.to_string()
    }

    #[test]
    fn the_one_file_is_unpacked_and_other_answers_are_texts() {
        assert_eq!(one_file(archive(&[("a.csv", b"1,2\n")])).unwrap(), "1,2\n");
        assert_eq!(one_file(b"<html>".to_vec()).unwrap(), "<html>");
        assert_eq!(one_file(Vec::new()).unwrap(), "");
    }

    /// Ten million zeros are some ten thousand bytes packed; a thousand of them fit, one more does not.
    #[test]
    fn what_unpacks_to_far_more_than_it_is_is_refused() {
        let bomb = archive(&[("a.csv", &vec![b'0'; 10_000_000])]);
        assert!(bomb.len() < 20_000, "{}", bomb.len());
        assert!(refusal(bomb).contains("unpacks to more than 1000 bytes"));
        let full = archive(&[("a.csv", &[b'0'; 1000])]);
        assert_eq!(one_file_up_to(1000, full).unwrap().len(), 1000);
        assert!(refusal(archive(&[("a.csv", &[b'0'; 1001])])).contains("more than 1000"));
    }

    #[test]
    fn broken_archives_and_other_numbers_of_files_are_refused() {
        let two = archive(&[("a.csv", b"1"), ("b.csv", b"2")]);
        assert!(refusal(two).contains("has 2 files where one was expected"));
        let whole = archive(&[("a.csv", b"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n")]);
        for length in 4..whole.len() {
            refusal(whole[..length].to_vec());
        }
        assert!(refusal(archive(&[("a.csv", b"\xff\xfe")])).contains("utf-8"));
        // A byte of the file itself: the checksum tells.
        let mut flipped = whole;
        let at = flipped.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap() - 8;
        flipped[at] ^= 1;
        refusal(flipped);
    }
}
