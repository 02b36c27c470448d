//! Parts of long work that Kubernetes plays: the manifest of an indexed job, whose pods each play the part of their index.
//!
//! A pod runs the same command in the same folder as here, since what parts have finished is known by the names of the files that were
//! read. Files that are not in a folder which pods have anyway go with the manifest.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{LongWork, all_words, own_command, own_words, yaml};
use crate::cli::out::{self, Target};
use crate::cli::{Failure, print, tell};

/// The options that are about it.
pub const OPTIONS: [&str; 7] =
    ["--image", "--namespace", "--cpu", "--memory", "--volume-claim", "--secret", "--manifest"];

/// Bytes of files that go with the manifest: kubectl keeps what it applies in an annotation, of 256 KiB at most.
const MOST_CARRIED: usize = 200_000;

/// How often a part is tried again.
const RETRIES: usize = 3;

/// How pods play the parts.
#[derive(clap::Args, Clone, Debug)]
pub struct KubernetesArguments {
    /// With --on kubernetes: the image, which has this program on its PATH
    #[arg(long, value_name = "IMAGE", required_if_eq("on", "kubernetes"), requires = "on")]
    image: Option<String>,
    /// With --on kubernetes: the namespace [default: kubectl's]
    #[arg(long, value_name = "NAME", requires = "on")]
    namespace: Option<String>,
    /// With --on kubernetes: the cores that a part has, such as 4 or 500m
    #[arg(long, value_name = "QUANTITY", requires = "on")]
    cpu: Option<String>,
    /// With --on kubernetes: the memory that a part has, such as 2Gi
    #[arg(long, value_name = "QUANTITY", requires = "on")]
    memory: Option<String>,
    /// With --on kubernetes: a volume claim whose folder is at this path here, and in pods then too
    #[arg(long, value_name = "CLAIM:PATH", requires = "on", value_parser = claim)]
    volume_claim: Option<Claim>,
    /// With --on kubernetes: a secret with the variables of AWS by which pods reach the store
    #[arg(long, value_name = "NAME", requires = "on")]
    secret: Option<String>,
    /// With --on kubernetes: where the manifest is written [default: standard output]
    #[arg(long, value_name = "FILE", requires = "on")]
    manifest: Option<PathBuf>,
}

/// A volume claim, and where its folder is.
#[derive(Clone, Debug)]
struct Claim {
    name: String,
    path: PathBuf,
}

fn claim(text: &str) -> Result<Claim, String> {
    let (name, path) = text.split_once(':').ok_or("must be CLAIM:PATH")?;
    let path = PathBuf::from(path);
    if name.is_empty() || !path.is_absolute() {
        return Err("must be the name of a claim and an absolute path".to_owned());
    }
    Ok(Claim { name: name.to_owned(), path })
}

/// What every pod does.
struct Pods<'a> {
    arguments: &'a KubernetesArguments,
    parts: usize,
    /// The folder in which the command runs.
    folder: PathBuf,
    /// The command's words, without the part.
    words: Vec<OsString>,
    /// Files that go with the manifest, and what they hold.
    carried: Vec<(PathBuf, String)>,
    /// The user and the group that write to the claim.
    user: (u32, u32),
}

impl KubernetesArguments {
    /// Writes the manifest, and says what is to be done with it.
    ///
    /// # Errors
    /// Pods would not reach the target or a file; the manifest cannot be written.
    pub fn write(&self, parts: usize, work: &LongWork<'_>, target: &Target) -> Result<(), Failure> {
        let here = std::env::current_dir().context("it is not known which folder this is")?;
        if out::store_address(work.out).is_none() {
            if !self.has(&here, work.out) {
                return Err(Failure::BadInput(vec![format!(
                    "--out {target}: pods do not have this folder: name one below the path of --volume-claim, or a store \
                     (s3://BUCKET/PREFIX)"
                )]));
            }
            out::check_unfinished(target, None)?;
        }
        let carried = self.carried(&here, &work.inputs)?;
        let words = own_words(all_words());
        let user = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        let pods = Pods { arguments: self, parts, folder: here, words, carried, user };
        let text = pods.manifest();
        let file = if let Some(path) = &self.manifest {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
            path.display().to_string()
        } else {
            print(text.trim_end())?;
            "-".to_owned()
        };
        let command = own_command()?;
        tell(format_args!(
            "{parts} parts as the job {}; to begin: kubectl apply -f {file}\n\
             the results, once it has ended: {command}\n\
             a part is played again alone by: {command} --part 1/{parts}",
            pods.name()
        ));
        Ok(())
    }

    /// Whether the folder of the claim has a path.
    fn has(&self, here: &Path, path: &Path) -> bool {
        self.volume_claim.as_ref().is_some_and(|claim| in_pods(here, path).starts_with(&claim.path))
    }

    /// The files that pods do not have, by where they are looked for, and what they hold.
    fn carried(&self, here: &Path, inputs: &[&Path]) -> Result<Vec<(PathBuf, String)>, Failure> {
        let mut carried = Vec::new();
        let mut errors = Vec::new();
        let mut bytes = 0;
        for path in inputs.iter().filter(|path| !self.has(here, path)) {
            let content = fs::read(path)
                .map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
            bytes += content.len();
            match String::from_utf8(content).ok().filter(|text| is_text(text)) {
                Some(text) if bytes <= MOST_CARRIED => carried.push((in_pods(here, path), text)),
                _ => errors.push(format!(
                    "{}: pods do not have this file, and only text of {MOST_CARRIED} bytes in all goes with the manifest: put \
                     it below the path of --volume-claim",
                    path.display()
                )),
            }
        }
        carried.sort_unstable();
        carried.dedup();
        if errors.is_empty() { Ok(carried) } else { Err(Failure::BadInput(errors)) }
    }
}

impl Pods<'_> {
    /// The name of the job: the same for the same command, files and options.
    fn name(&self) -> String {
        let Self { arguments, parts, words, carried, .. } = self;
        let digest = Sha256::digest(format!("{arguments:?} {parts} {words:?} {carried:?}"));
        format!("wattbook-parts-{}", &hex::encode(digest)[..8])
    }

    /// The files, if there are any, and the job.
    fn manifest(&self) -> String {
        let documents = [self.files(), Some(self.job())];
        let documents: Vec<String> = documents.iter().flatten().map(yaml::block).collect();
        documents.join("---\n")
    }

    fn metadata(&self) -> Value {
        let mut metadata = json!({"name": self.name()});
        if let Some(namespace) = &self.arguments.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }

    fn files(&self) -> Option<Value> {
        let named = |(at, (_, text)): (usize, &(PathBuf, String))| (key(at), json!(text));
        let data: Map<String, Value> = self.carried.iter().enumerate().map(named).collect();
        (!data.is_empty()).then(|| {
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": self.metadata(), "data": data})
        })
    }

    /// A part that fails stops no other. It is tried again unless it says that its input is wrong; that it was evicted does not
    /// count.
    fn job(&self) -> Value {
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": self.metadata(),
            "spec": {
                "completionMode": "Indexed",
                "completions": self.parts,
                "parallelism": self.parts,
                "backoffLimitPerIndex": RETRIES,
                "maxFailedIndexes": self.parts,
                "podFailurePolicy": {"rules": [
                    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                    {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [2]}},
                ]},
                "template": {"spec": self.pod()},
            },
        })
    }

    fn pod(&self) -> Value {
        let mut mounts = Vec::new();
        let mut volumes = Vec::new();
        let mut pod = json!({"restartPolicy": "Never", "containers": [self.container()]});
        if let Some(Claim { name, path }) = &self.arguments.volume_claim {
            mounts.push(json!({"name": "shared", "mountPath": path}));
            volumes.push(json!({"name": "shared", "persistentVolumeClaim": {"claimName": name}}));
            // Who writes the results removes what the parts have written.
            let (user, group) = self.user;
            pod["securityContext"] = json!({"runAsUser": user, "runAsGroup": group});
        }
        for (at, (path, _)) in self.carried.iter().enumerate() {
            mounts.push(
                json!({"name": "files", "mountPath": path, "subPath": key(at), "readOnly": true}),
            );
        }
        if !self.carried.is_empty() {
            volumes.push(json!({"name": "files", "configMap": {"name": self.name()}}));
        }
        if !mounts.is_empty() {
            pod["containers"][0]["volumeMounts"] = Value::Array(mounts);
            pod["volumes"] = Value::Array(volumes);
        }
        pod
    }

    fn container(&self) -> Value {
        // Kubernetes puts the index, which counts from 0, in the place of its name; what begins with $ otherwise it is to leave.
        let words = self.words.iter().map(|word| word.to_string_lossy().replace('$', "$$"));
        let part = format!("$(JOB_COMPLETION_INDEX)+1/{}", self.parts);
        let command = std::iter::once("wattbook".to_owned()).chain(words);
        let command: Vec<String> = command.chain(["--part".to_owned(), part]).collect();
        let arguments = self.arguments;
        let mut container = json!({"name": "part", "image": arguments.image, "command": command, "workingDir": self.folder});
        if let Some(secret) = &arguments.secret {
            container["envFrom"] = json!([{"secretRef": {"name": secret}}]);
        }
        let amounts = [("cpu", &arguments.cpu), ("memory", &arguments.memory)];
        let amounts =
            amounts.iter().filter_map(|(name, it)| Some(((*name).to_owned(), json!(it.as_ref()?))));
        let amounts: Map<String, Value> = amounts.collect();
        if !amounts.is_empty() {
            // It plays on as many threads as its limit has cores.
            container["resources"] = json!({"requests": amounts, "limits": amounts});
        }
        container
    }
}

/// The name of a file that goes with the manifest.
fn key(at: usize) -> String {
    format!("file-{}", at + 1)
}

/// Where pods look for a path, as the command says it.
fn in_pods(here: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for component in here.join(path).components() {
        match component {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole
}

/// Whether it can be carried as text.
fn is_text(text: &str) -> bool {
    text.chars().all(|it| !it.is_control() || "\n\r\t".contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = include_str!("kubernetes_manifest.yaml");

    fn arguments() -> KubernetesArguments {
        KubernetesArguments {
            image: Some("registry.example:5000/wattbook:0.1".to_owned()),
            namespace: Some("sweeps".to_owned()),
            cpu: Some("2".to_owned()),
            memory: Some("1Gi".to_owned()),
            volume_claim: claim("shared-data:/shared").ok(),
            secret: Some("sweep-store".to_owned()),
            manifest: None,
        }
    }

    #[test]
    fn the_manifest_is_an_indexed_job_with_its_files() {
        let arguments = arguments();
        let words = "batch sweep sweep.toml --out s3://b/a$(X) --threads 2".split(' ');
        let pods = Pods {
            arguments: &arguments,
            parts: 8,
            folder: "/home/ann".into(),
            words: words.map(OsString::from).collect(),
            carried: vec![
                (
                    "/home/ann/sweep.toml".into(),
                    "seeds = [1]\n\n[[policies]]\n  policy = \"easy\"\n".to_owned(),
                ),
                ("/home/ann/taurus.csv".into(), "name\r\nn1\r\n".to_owned()),
            ],
            user: (1000, 100),
        };
        assert_eq!(pods.manifest(), MANIFEST);
    }

    #[test]
    fn what_pods_do_not_have_goes_with_the_manifest_where_it_is_small_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path
        };
        let (small, zipped) = (file("a.toml", b"x = 1\n"), file("b.gz", &[0x1f, 0x8b, 0xff]));
        let (large, here) = (file("c.csv", &vec![b'x'; MOST_CARRIED]), Path::new("/"));
        let carried = |arguments: &KubernetesArguments, paths: &[&Path]| {
            arguments.carried(here, paths).map_err(|failure| match failure {
                Failure::BadInput(errors) => errors,
                _ => panic!("it is bad input"),
            })
        };
        let apart = arguments();
        assert_eq!(carried(&apart, &[&small]), Ok(vec![(small.clone(), "x = 1\n".to_owned())]));
        let errors = carried(&apart, &[&small, &zipped, &large]).unwrap_err();
        assert!(errors[0].contains("b.gz: pods do not have this file"), "{errors:?}");
        assert!(errors.len() == 2 && errors[1].contains("c.csv"), "{errors:?}");
        let path = folder.path().display();
        let shared =
            KubernetesArguments { volume_claim: claim(&format!("c:{path}")).ok(), ..arguments() };
        assert_eq!(carried(&shared, &[&small, &zipped, &large]), Ok(Vec::new()));
    }

    #[test]
    fn paths_are_those_of_the_folder_where_the_command_runs() {
        let here = Path::new("/home/ann");
        assert_eq!(in_pods(here, Path::new("../bob/./x.swf")), Path::new("/home/bob/x.swf"));
        assert_eq!(in_pods(here, Path::new("/shared/x.swf")), Path::new("/shared/x.swf"));
    }
}
