//! Chains in their forms.

use hotfire_host::{Chain, DeviceBuffer, Edge, Error, Form, Mapped};

use crate::{Test, kernel, stream};

pub const TESTS: &[Test] = &[
    ("every_form_computes_the_same", every_form_computes_the_same),
    ("edges_say_what_breaks_them", edges_say_what_breaks_them),
    ("a_chain_marks_the_memory_that_it_uses", a_chain_marks_the_memory_that_it_uses),
];

const COUNT: usize = 300;

fn every_form_computes_the_same() {
    let stream = stream();
    let layer = kernel("layer");
    for form in Form::ALL {
        let a = DeviceBuffer::<f32>::zeroed(&stream, COUNT).expect("memory");
        let b = DeviceBuffer::<f32>::zeroed(&stream, COUNT).expect("memory");
        let mut chain = Chain::new();
        for turn in 0..64 {
            let (from, to) = if turn % 2 == 0 { (&a, &b) } else { (&b, &a) };
            let launch = layer.over(COUNT.div_ceil(128) as u32, 128);
            // SAFETY: arrays of `COUNT` floats, which live as long as the chain.
            chain = unsafe { chain.kernel(launch, &(from, to, COUNT as i32)) }.expect("the arguments fit");
        }
        let mut ready = chain.build(stream.device(), form).expect("every form is there");
        for _ in 0..2 {
            // SAFETY: as above.
            unsafe { ready.run(&stream) }.expect("it runs");
        }
        assert_eq!(a.read(&stream).expect("a copy"), [128.0; COUNT], "{}", form.name());
    }
}

fn edges_say_what_breaks_them() {
    let stream = stream();
    let a = DeviceBuffer::<f32>::zeroed(&stream, COUNT).expect("memory");
    let layer = || kernel("layer").over(3, 128);
    let arguments = || (a.address(), a.address(), COUNT as i32);
    // SAFETY: arrays of `COUNT` floats, which live as long as the chain.
    let chain = unsafe {
        let chain = Chain::new().kernel(layer(), &arguments()).expect("fits");
        let chain = chain.kernel(layer(), &arguments()).expect("fits").set(a.address(), 0, COUNT);
        let chain = chain.kernel(layer(), &arguments()).expect("fits").copy(a.address(), a.address(), COUNT);
        let chain = chain.kernel(layer(), &arguments()).expect("fits");
        chain.kernel(kernel("layer_without_wait").over(3, 128), &arguments()).expect("fits")
    };
    let expected = [Edge::First, Edge::Programmatic, Edge::BrokenBySet, Edge::BrokenByCopy, Edge::NoWait];
    assert_eq!(chain.edges(), expected);
    assert_eq!(chain.clone().first_kernel_too().edges()[..2], [Edge::Programmatic; 2]);
    let mut ready = chain.build(stream.device(), Form::Pdl).expect("it builds");
    // SAFETY: as above.
    unsafe { ready.run(&stream) }.expect("it runs");
    assert_eq!(a.read(&stream).expect("a copy"), [3.0; COUNT]);
    assert!(matches!(Chain::new().build(stream.device(), Form::Stream), Err(Error::Invalid(_))));
}

fn a_chain_marks_the_memory_that_it_uses() {
    let stream = stream();
    let mut values = Mapped::from_slice(stream.device(), &[1.0f32; 32]).expect("mapped memory");
    // SAFETY: 32 floats, which live as long as the chain.
    let chain = unsafe { Chain::new().kernel(kernel("scale").over(1, 32), &(&mut values, 2.0f32)) }.expect("fits");
    let mut ready = chain.build(stream.device(), Form::Stream).expect("it builds");
    let before = stream.synchronize().expect("idle");
    let guard = values.read(&before).expect("nothing has run");
    // SAFETY: refused.
    assert!(matches!(unsafe { ready.run(&stream) }, Err(Error::Guarded)));
    drop(guard);
    // SAFETY: as above.
    unsafe { ready.run(&stream) }.expect("it runs");
    assert!(matches!(values.read(&before), Err(Error::NotDone)));
    let done = stream.synchronize().expect("it ends");
    assert_eq!(values.read(&done).expect("covered")[31], 2.0);
}
